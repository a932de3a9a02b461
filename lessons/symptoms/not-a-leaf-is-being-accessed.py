# ---
# jupyter:
#   gradclinic:
#     text: "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"
#     kind: warning
#     cause: not_a_leaf
# ---
