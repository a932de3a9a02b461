# ---
# jupyter:
#   gradclinic:
#     text: "retain_grad() came in time, and .grad is None after a later in-place operation"
#     kind: silent
#     cause: modified_after_use
#     shows: "None"
# ---
