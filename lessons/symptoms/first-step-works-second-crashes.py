# ---
# jupyter:
#   gradclinic:
#     text: "The first step works, the second crashes"
#     kind: silent
#     cause: graph_freed
#     shows: "Trying to backward through the graph a second time"
# ---
