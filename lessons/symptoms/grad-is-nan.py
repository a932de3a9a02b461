# ---
# jupyter:
#   gradclinic:
#     text: "The loss is a number, and the gradient is nan"
#     kind: silent
#     cause: nonfinite_derivative
#     shows: "nan"
#     also:
#       - "grad is nan"
#       - "grad is inf"
# ---
