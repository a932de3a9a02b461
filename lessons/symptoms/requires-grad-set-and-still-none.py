# ---
# jupyter:
#   gradclinic:
#     text: "requires_grad_() was called before backward(), and .grad is None"
#     kind: silent
#     cause: flag_too_late
#     shows: "None"
# ---
