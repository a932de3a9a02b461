# ---
# jupyter:
#   gradclinic:
#     text: "A stacked copy has .grad None, although retain_grad() came in time"
#     kind: silent
#     cause: off_the_path
#     shows: "None"
#     also:
#       - "retain_grad() came in time, .grad is None, and no warning says why"
# ---
