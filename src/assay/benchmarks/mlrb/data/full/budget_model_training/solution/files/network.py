"""A small convolutional network, and how an image becomes its input."""

import io

import numpy as np
import torch
from PIL import Image
from torch import nn

Image.MAX_IMAGE_PIXELS = None
SIZE = 96


def read(data):
    """An image file as three planes of SIZE × SIZE numbers around zero."""
    image = Image.open(io.BytesIO(data)).convert("RGB").resize((SIZE, SIZE))
    return torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1).float() / 127.5 - 1


def network(classes):
    layers, before = [], 3
    for width in (32, 64, 128, 256):
        layers += [nn.Conv2d(before, width, 3, stride=2, padding=1), nn.GroupNorm(8, width), nn.ReLU()]
        before = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, classes))
