# ---
# jupyter:
#   gradclinic:
#     text: "Changed in place after the loss, and now .grad is None"
#     kind: silent
#     cause: modified_after_use
#     shows: "None"
#     also:
#       - "retain_grad() came in time, and .grad is None after a later in-place operation"
# ---
