from __future__ import annotations

from dataclasses import replace

import pytest

from assay.masking.engine import MaskError, mask, restore

SOURCE = b"def f():\n    return 1\n\ndef g():\n    # why\n    'doc'\n    return 2\n"


def test_pieces_say_what_stood_where() -> None:
    masked = mask(SOURCE, ["g", "f"])
    assert [piece.name for piece in masked.removed] == ["f", "g", "g"]
    for piece in masked.removed:
        assert SOURCE[piece.start : piece.end] == piece.removed
    assert masked.bodies() == {"f": "    return 1", "g": "    # why\n\n    return 2"}


def test_restoring_an_edited_source_is_refused() -> None:
    masked = mask(SOURCE, ["f"])
    edited = replace(masked, source=masked.source.replace(b"raise", b"pass#"))
    with pytest.raises(MaskError, match="the stub of f was moved or changed"):
        restore(edited)


def test_nothing_masked_changes_nothing() -> None:
    masked = mask(SOURCE, [])
    assert masked.source == SOURCE
    assert masked.removed == ()
