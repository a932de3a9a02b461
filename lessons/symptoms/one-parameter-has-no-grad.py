# ---
# jupyter:
#   gradclinic:
#     text: "One parameter of the model has .grad None, the others have their gradient"
#     kind: silent
#     cause: unused
#     shows: "None"
# ---
