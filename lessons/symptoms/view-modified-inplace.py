# ---
# jupyter:
#   gradclinic:
#     text: >-
#       is a view and is being modified inplace. This view is the output of a function that returns multiple views
#     kind: error
#     cause: inplace_on_view
# ---
