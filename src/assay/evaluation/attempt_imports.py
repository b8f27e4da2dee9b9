"""Imports what attempts need, once and without what they do not need, before the first of them begins."""

from __future__ import annotations

import contextlib
from importlib import import_module

from assay.collection import collection_paused
from assay.deferred_modules import deferred_modules
from assay.inspect_private import LATE_MODULES, LATE_MODULES_OF_MODELS, UNUSED_MODULES

_LATE = ("anyio._backends._asyncio", *LATE_MODULES)
"""What Inspect imports only when an evaluation begins. A name that a later Inspect no longer has is passed
over."""


def import_for_attempts(*, asks_models: bool) -> None:
    """Import Inspect, the parts of Assay that need it and what both would import in the first attempt."""
    unused = {module: entry.names for module, entry in UNUSED_MODULES.items()}
    with collection_paused(), deferred_modules(unused):
        import assay.evaluation.progress
        import assay.evaluation.samples
        import assay.sandbox.session.inspect_provider  # noqa: F401

        for name in (*_LATE, *(LATE_MODULES_OF_MODELS if asks_models else ())):
            with contextlib.suppress(ImportError):
                import_module(name)
