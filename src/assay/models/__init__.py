"""Models that need no key: the small local model, and scripted models.

`pull` downloads a model of the catalogue into the user's cache, `find` returns its path, `models` lists
all models. `--model local/smollm2` serves it to Inspect (`assay.models.provider`);
`assay.models.scripted` is an OpenAI-compatible server that answers from a script.
"""

from __future__ import annotations

from assay.models.cache import ModelStatus, find, models
from assay.models.catalogue import CATALOGUE, LocalModel
from assay.models.download import Progress, pull

__all__ = ["CATALOGUE", "LocalModel", "ModelStatus", "Progress", "find", "models", "pull"]
