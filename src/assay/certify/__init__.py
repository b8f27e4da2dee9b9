"""Why a task can be believed: what is known to be right passes, what is known to be wrong fails."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from assay.certify.proof import certify

__all__ = ["certify"]


class _Verb(ModuleType):
    """The room is its verb too: `assay.certify(…)` is `assay.certify.proof.certify(…)`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return certify(*arguments, **options)


sys.modules[__name__].__class__ = _Verb
