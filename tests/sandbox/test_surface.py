"""What may be imported from the room, and that it says what it does not cover."""

from __future__ import annotations

import assay.sandbox


def test_the_surface_is_one_page() -> None:
    assert sorted(assay.sandbox.__all__) == [
        "Box",
        "Check",
        "Confinement",
        "Connection",
        "Engine",
        "Mount",
        "Observations",
        "Outcome",
        "Program",
        "ProxyRequest",
        "SandboxLimits",
        "converse",
        "examine",
        "find_engine",
        "forced_engine",
        "run_confined",
    ]
    assert all(getattr(assay.sandbox, name).__doc__ for name in assay.sandbox.__all__)
    assert "does not cover" in (assay.sandbox.__doc__ or "")
