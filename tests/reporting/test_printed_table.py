"""A table prints whole wherever it is printed."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from assay.reporting.printed_table import PrintedTable


def test_a_narrow_terminal_breaks_cells_and_cuts_none() -> None:
    row = ["I·E", "4/8 50% [22, 78]", "50–100% (4 unknown)", "4/8 50% [22, 78]"]
    out = StringIO()
    Console(file=out, width=40).print(
        PrintedTable(["measure", "met, [95%]", "at least–most", "executed"], [row], [], {})
    )
    printed = out.getvalue()
    assert "…" not in printed
    for word in " ".join(row).split():
        assert word in printed
