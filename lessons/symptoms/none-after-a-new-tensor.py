# ---
# jupyter:
#   gradclinic:
#     text: "A tensor was built from others, and they have .grad None"
#     kind: silent
#     cause: rewrapped
#     shows: "None None"
# ---
