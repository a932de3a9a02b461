# ---
# jupyter:
#   gradclinic:
#     text: "Inference tensors cannot be saved for backward"
#     kind: error
#     cause: inference_tensor
# ---
