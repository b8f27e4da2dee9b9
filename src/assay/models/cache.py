"""Paths of local models in the user's cache, which respects XDG_CACHE_HOME."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.cache import cache_folder
from assay.models.catalogue import CATALOGUE, LocalModel, find_model


@dataclass(frozen=True)
class ModelStatus:
    """One line of `assay models`."""

    name: str
    present: bool
    bytes: int
    licence: str
    path: Path
    """Path of the file after `pull`"""


def model_path(model: LocalModel) -> Path:
    """Return the path of the GGUF after `pull`."""
    return cache_folder("models") / f"{model.name}-{model.version}" / model.filename


def find(name: str | LocalModel) -> Path | None:
    """Return the downloaded model's file, or None; a file of the wrong size is not the model."""
    model = find_model(name)
    path = model_path(model)
    return path if path.is_file() and path.stat().st_size == model.bytes else None


def models() -> list[ModelStatus]:
    """List every model of the catalogue with its status."""
    return [
        ModelStatus(model.name, find(model) is not None, model.bytes, model.licence, model_path(model))
        for model in CATALOGUE.values()
    ]
