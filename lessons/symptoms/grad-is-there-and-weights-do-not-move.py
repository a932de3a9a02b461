# ---
# jupyter:
#   gradclinic:
#     text: "The gradient is there, and the weights do not move"
#     kind: silent
#     cause: stale_optimizer
#     shows: "tensor([True])"
# ---
