"""Where local models lie: the user's cache, which honours XDG_CACHE_HOME."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.cache import cache_folder
from assay.models.catalogue import CATALOGUE, LocalModel, known


@dataclass(frozen=True)
class ModelStatus:
    """One line of `assay models`."""

    name: str
    present: bool
    bytes: int
    licence: str
    path: Path
    """where it lies, or would lie once pulled"""


def place(model: LocalModel) -> Path:
    """Where the GGUF lies once pulled."""
    return cache_folder("models") / f"{model.name}-{model.version}" / model.filename


def find(name: str | LocalModel) -> Path | None:
    """The pulled model's file, or None; a file of the wrong size is not the model."""
    model = known(name)
    path = place(model)
    return path if path.is_file() and path.stat().st_size == model.bytes else None


def models() -> list[ModelStatus]:
    """Every model of the catalogue, pulled or not."""
    return [
        ModelStatus(model.name, find(model) is not None, model.bytes, model.licence, place(model))
        for model in CATALOGUE.values()
    ]
