# ---
# jupyter:
#   gradclinic:
#     text: "a leaf Variable that requires grad is being used in an in-place operation"
#     kind: error
#     cause: inplace_on_leaf
# ---
