# ---
# jupyter:
#   gradclinic:
#     text: "a leaf Variable that requires grad is being used in an in-place operation"
#     kind: error
#     boost: 10
#     cause: inplace_on_leaf
# ---
