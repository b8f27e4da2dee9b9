"""What Inspect finds through the entry point `inspect_ai`: each provider imports its room when asked for."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="local")
def local() -> type[ModelAPI]:
    from assay.models.provider import LocalAPI

    return LocalAPI
