# ---
# jupyter:
#   gradclinic:
#     text: "Half of the layer trains: the weight has a gradient, the bias has none"
#     kind: silent
#     cause: frozen
#     shows: "None"
# ---
