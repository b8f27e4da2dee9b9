"""What Inspect finds by entry point; everything heavy is imported when it is asked for."""

from __future__ import annotations

from inspect_ai.util import SandboxEnvironment, sandboxenv


@sandboxenv(name="bwrap")
def bwrap() -> type[SandboxEnvironment]:
    """The bubblewrap sandbox."""
    from assay.sandbox.provider import BwrapSandboxEnvironment

    return BwrapSandboxEnvironment
