"""Few parameters, but so wide inside that reading a text takes much memory."""

import torch
from reading import llama, save

torch.manual_seed(0)
save(llama(width=4, inside=18_000, layers=1, window=1024))
