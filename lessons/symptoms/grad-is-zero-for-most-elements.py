# ---
# jupyter:
#   gradclinic:
#     text: "The gradient is zero for some elements, or for what the loss did not use"
#     kind: silent
#     cause: materialized_zero
#     shows: "tensor([-8., -0.])"
# ---
