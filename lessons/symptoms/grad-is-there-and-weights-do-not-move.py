# ---
# jupyter:
#   gradclinic:
#     text: "Weights do not move, although each has a gradient"
#     kind: silent
#     cause: stale_optimizer
#     shows: "tensor([True])"
# ---
