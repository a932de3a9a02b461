# ---
# jupyter:
#   gradclinic:
#     text: "one of the variables needed for gradient computation has been modified by an inplace operation"
#     kind: error
#     cause: inplace_on_saved
# ---
