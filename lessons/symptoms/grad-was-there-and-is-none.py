# ---
# jupyter:
#   gradclinic:
#     text: "The gradient was there, and a line later it is None"
#     kind: silent
#     cause: grad_cleared
#     shows: "None"
# ---
