# ---
# jupyter:
#   gradclinic:
#     text: "element 0 of tensors does not require grad and does not have a grad_fn"
#     kind: error
#     cause: loss_has_no_graph
# ---
