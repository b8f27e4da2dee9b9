from __future__ import annotations

from textwrap import dedent

from assay.masking.engine import find_leaks, mask, scrub

SOURCE = (
    dedent('''
    #!/usr/bin/env python
    """Distances.

    The norm is np.sqrt(x ** 2 + y ** 2), as everywhere.
    """
    import numpy as np

    def norm(x, y):
        """Length of (x, y): np.sqrt(x ** 2 + y ** 2)."""
        return np.sqrt(x ** 2 + y ** 2)

    # old: def norm(x, y):
    #     return np.sqrt(x ** 2 + y ** 2)

    def other():
        """See `norm`."""
        # take the root of
        # the squares
        size = norm(3, 4)  # 5, by Pythagoras
        return size  # unrelated

    def more():
        if (
            norm(1, 1)  # root two
            > 1
        ):  # noqa
            pass
    ''')
    .lstrip("\n")
    .encode()
)


def test_prose_that_gives_the_body_away_is_reported_with_its_reason() -> None:
    masked = mask(SOURCE, ["norm"])
    leaks = find_leaks(masked.source, masked.bodies())
    assert [(leak.reason, leak.what, leak.text.split("\n")[0]) for leak in leaks] == [
        ("repeats the body", "docstring", '"""Distances.'),
        ("repeats the body", "comment", "# old: def norm(x, y):"),
        ("names it", "docstring", '"""See `norm`."""'),
        ("call site", "comment", "# take the root of"),
        ("call site", "comment", "# 5, by Pythagoras"),
        ("call site", "comment", "# root two"),
    ]
    for leak in leaks:
        assert masked.source[leak.start : leak.end].decode() == leak.text
        assert masked.source[: leak.start].count(b"\n") + 1 == leak.line
        assert leak.name == "norm"


def test_scrubbing_removes_them_and_is_undone_exactly() -> None:
    masked = mask(SOURCE, ["norm"])
    scrubbed = scrub(masked.source, masked.bodies())
    assert [leak.reason for leak in find_leaks(scrubbed.source, masked.bodies())] == ["names it"]
    for told in (b"as everywhere", b"old:", b"take the root", b"squares", b"Pythagoras", b"root two"):
        assert told in masked.source
        assert told not in scrubbed.source
    for kept in (b"#!/usr", b"Length of", b"See `norm`", b"# unrelated", b"# noqa"):
        assert kept in scrubbed.source
    compile(scrubbed.source, "scrubbed", "exec")
    assert scrubbed.restore() == masked.source


def test_reasons_choose_what_is_scrubbed() -> None:
    masked = mask(SOURCE, ["norm"])
    assert scrub(masked.source, masked.bodies(), reasons=()).source == masked.source
    assert b"See `norm`" not in scrub(masked.source, masked.bodies(), reasons=["names it"]).source


def test_another_file_in_another_encoding_is_searched_too() -> None:
    bodies = mask(SOURCE, ["norm"]).bodies()
    other = "# coding: latin-1\r\nx = 'é'\r\ny = norm(1, 2)  # é: racine\r\n".encode("latin-1")
    (leak,) = find_leaks(other, bodies)
    assert leak.text == "# é: racine"
    assert other[leak.start : leak.end] == "# é: racine".encode("latin-1")
    assert scrub(other, bodies).source == other.replace("# é: racine".encode("latin-1"), b"# (removed)")


def test_a_constructor_is_called_by_its_class() -> None:
    masked = mask(
        b"class A:\n    def __init__(self):\n        self.x = 1\na = A()  # x is 1\n", ["A.__init__"]
    )
    assert [leak.text for leak in find_leaks(masked.source, masked.bodies())] == ["# x is 1"]


def test_a_description_given_on_purpose_is_no_leak() -> None:
    text = b"def f(x):\n    return alpha * x + beta\n"
    masked = mask(text, ["f"], description={"f": "return alpha * x + beta"})
    assert find_leaks(masked.source, masked.bodies()) == []
