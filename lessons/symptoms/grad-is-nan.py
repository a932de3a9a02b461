# ---
# jupyter:
#   gradclinic:
#     text: "The gradient is nan, and the loss is a number"
#     kind: silent
#     cause: nonfinite_derivative
#     shows: "nan"
#     also:
#       - "grad is nan"
#       - "grad is inf"
# ---
