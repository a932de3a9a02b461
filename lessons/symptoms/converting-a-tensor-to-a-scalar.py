# ---
# jupyter:
#   gradclinic:
#     text: "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior"
#     kind: warning
#     cause: rewrapped
# ---
