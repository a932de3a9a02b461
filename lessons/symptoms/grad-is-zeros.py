# ---
# jupyter:
#   gradclinic:
#     text: "The gradient is all zeros"
#     kind: silent
#     cause: zero_derivative
#     shows: "tensor([0., 0.])"
#     also:
#       - "grad is zeros"
# ---
