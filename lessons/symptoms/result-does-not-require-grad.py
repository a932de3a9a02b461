# ---
# jupyter:
#   gradclinic:
#     text: "The result of an operation has requires_grad False, its input has it True"
#     kind: silent
#     cause: grad_mode_off
#     shows: "None"
# ---
