"""Which protocols the bridge cannot speak, because a package is missing."""

from __future__ import annotations

from collections.abc import Iterator

from assay.agents.bridge import is_bridged
from assay.evaluation.preflight.checks import PreflightCheck
from assay.evaluation.running import Plan
from assay.installed import is_installed

PACKAGES = {"Anthropic": ("anthropic", "anthropic"), "Google": ("google.genai", "google-genai")}
"""Protocol -> the module that Inspect's bridge needs for it, and the package that has it."""


def check_protocols(planned: Plan) -> Iterator[PreflightCheck]:
    """Warn where a bridged program would get no answer if it spoke one of these protocols."""
    if not any(is_bridged(attempt.agent) for attempt in planned.left):
        return
    missing = {
        protocol: package for protocol, (module, package) in PACKAGES.items() if not is_installed(module)
    }
    if missing:
        yield PreflightCheck(
            "bridge",
            "warning",
            f"a program that speaks the protocol of {' or '.join(missing)} gets no answer: "
            f"pip install {' '.join(missing.values())}",
        )
