# ---
# jupyter:
#   gradclinic:
#     text: "Everything before my own autograd.Function has .grad None"
#     kind: silent
#     cause: backward_returned_none
#     shows: "None"
# ---
