# ---
# jupyter:
#   gradclinic:
#     text: "Only Tensors of floating point and complex dtype can require gradients"
#     kind: error
#     cause: integer_dtype
# ---
