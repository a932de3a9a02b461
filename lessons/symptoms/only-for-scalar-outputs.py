# ---
# jupyter:
#   gradclinic:
#     text: "grad can be implicitly created only for scalar outputs"
#     kind: error
#     cause: non_scalar_loss
# ---
