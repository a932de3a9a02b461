# ---
# jupyter:
#   gradclinic:
#     text: "retain_grad() came in time, .grad is None, and no warning says why"
#     kind: silent
#     cause: off_the_path
#     shows: "None"
# ---
