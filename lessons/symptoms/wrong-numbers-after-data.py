# ---
# jupyter:
#   gradclinic:
#     text: "The gradient has wrong numbers after an edit through .data, and nothing warns"
#     kind: silent
#     cause: edited_through_data
#     shows: "tensor([100.0000, 271.8282])"
# ---
