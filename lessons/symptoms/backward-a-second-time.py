# ---
# jupyter:
#   gradclinic:
#     text: "Trying to backward through the graph a second time"
#     kind: error
#     cause: graph_freed
# ---
