# ---
# jupyter:
#   gradclinic:
#     text: "The gradient doubles, or grows with each step"
#     kind: silent
#     cause: accumulated
#     shows: "tensor(-12.)"
#     also:
#       - "grad doubles each step"
# ---
