# expects: not_differentiable
# exercise: late_retain_grad
"""Where did the network look? Grad-CAM draws a map of it.

A small network turns an image into feature maps, and their means into scores. `grad_cam` weighs each feature map by the
mean gradient that the label's score sends back to it, adds the maps up, and keeps what is positive. It also returns the
gradient of the convolution's weight. It stops, because the feature maps have no gradient.

TODO: make both results true. The network and the score must stay as they are.
"""

import torch
from torch import nn


class Network(nn.Module):
    def __init__(self, n_channels, n_maps, n_labels):
        super().__init__()
        self.conv = nn.Conv2d(n_channels, n_maps, kernel_size=3, padding=1)
        self.fc = nn.Linear(n_maps, n_labels)

    def forward(self, image):
        features = torch.relu(self.conv(image))
        scores = self.fc(features.mean(dim=(1, 2)))
        return scores, features


def grad_cam(weights, image, label):
    """image (channels, height, width), label an int. Returns the map (height, width) and conv.weight's gradient."""
    n_labels, n_maps = weights["fc.weight"].shape
    model = Network(len(image), n_maps, n_labels)
    model.load_state_dict(weights)

    scores, features = model(image)
    # Before backward(), anywhere: outside the model and after the forward pass is early enough.
    features.retain_grad()
    hit = (scores == scores[label]).float().requires_grad_()  # <- here
    hit.sum().backward()
    importance = features.grad.mean(dim=(1, 2))
    weighted = importance[:, None, None] * features

    return {"map": torch.relu(weighted.sum(dim=0)), "conv_gradient": model.conv.weight.grad}
