# ---
# jupyter:
#   gradclinic:
#     text: >-
#       that is different to the input size (torch.Size([3, 1])). This will likely lead to incorrect results due to
#       broadcasting
#     kind: warning
#     cause: broadcast_target
# ---
