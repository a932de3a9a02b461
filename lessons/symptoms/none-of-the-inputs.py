# ---
# jupyter:
#   gradclinic:
#     text: "None of the inputs have requires_grad=True. Gradients will be None"
#     kind: warning
#     cause: checkpoint_cut
# ---
