# ---
# jupyter:
#   gradclinic:
#     text: "After loss.requires_grad_() the error is gone, and nothing is trained"
#     kind: silent
#     cause: loss_patched
#     shows: "None tensor(1.)"
# ---
