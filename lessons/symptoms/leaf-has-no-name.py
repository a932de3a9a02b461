# ---
# jupyter:
#   gradclinic:
#     text: "I made it with requires_grad=True, and it is not a leaf"
#     kind: silent
#     boost: 6
#     cause: shadowed_leaf
#     shows: "None"
#     also:
#       - "is_leaf is False"
# ---
