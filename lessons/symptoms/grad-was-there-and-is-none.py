# ---
# jupyter:
#   gradclinic:
#     text: "The gradient disappears: it was there, and now .grad is None"
#     kind: silent
#     cause: grad_cleared
#     shows: "None"
# ---
