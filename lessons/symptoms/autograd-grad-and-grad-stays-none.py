# ---
# jupyter:
#   gradclinic:
#     text: "autograd.grad ran, and .grad stays None"
#     kind: silent
#     cause: functional_grad
#     shows: "None"
# ---
