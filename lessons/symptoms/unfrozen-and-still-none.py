# ---
# jupyter:
#   gradclinic:
#     text: "I unfroze the layer, and its .grad is still None"
#     kind: silent
#     cause: flag_on_module
#     shows: "None"
#     also:
#       - "layer.requires_grad = True does nothing"
# ---
