# ---
# jupyter:
#   gradclinic:
#     text: "All layers before one line have .grad None, those after it train"
#     kind: silent
#     cause: detached
#     shows: "None"
# ---
