# ---
# jupyter:
#   gradclinic:
#     text: "A layer or a parameter of the model is not listed in parameters()"
#     kind: silent
#     cause: unregistered_parameter
#     shows: "tensor([1.], requires_grad=True)"
#     also:
#       - "The model stores an nn.Parameter, and parameters() does not list it"
# ---
