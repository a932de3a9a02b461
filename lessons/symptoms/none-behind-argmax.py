# ---
# jupyter:
#   gradclinic:
#     text: "Everything before an argmax or a comparison has .grad None"
#     kind: silent
#     cause: not_differentiable
#     shows: "None"
# ---
