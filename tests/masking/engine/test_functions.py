from __future__ import annotations

import sys
from textwrap import dedent

import pytest

from assay.masking.engine import Unparsable, find_functions


def source(text: str) -> bytes:
    return dedent(text).lstrip("\n").encode()


def names(text: str) -> list[str]:
    return [function.name for function in find_functions(source(text))]


def test_names_are_dotted_through_classes_and_functions() -> None:
    assert names("""
        def outer():
            def inner(): pass
            class Local:
                def method(self): pass
        class Model:
            class Config:
                def read(self): pass
            def fit(self): pass
    """) == ["outer", "outer.inner", "outer.Local.method", "Model.Config.read", "Model.fit"]


def test_a_redefinition_is_numbered_and_its_inner_functions_with_it() -> None:
    assert names("""
        if fast:
            def run(): pass
        else:
            def run():
                def step(): pass
        class Box:
            @property
            def size(self): return 1
            @size.setter
            def size(self, value): pass
    """) == ["run", "run#2", "run#2.step", "Box.size", "Box.size#2"]


def test_functions_are_found_in_every_kind_of_block() -> None:
    assert names("""
        if a:
            def in_if(): pass
        elif b:
            def in_elif(): pass
        for x in y:
            def in_for(): pass
        else:
            def in_for_else(): pass
        while a:
            def in_while(): pass
        with a:
            def in_with(): pass
        try:
            def in_try(): pass
        except A:
            def in_except(): pass
        else:
            def in_try_else(): pass
        finally:
            def in_finally(): pass
        try:
            pass
        except* A:
            def in_except_star(): pass
        match a:
            case 1:
                def in_case(): pass
        async def outer():
            async for x in y:
                def in_async_for(): pass
            async with a:
                def in_async_with(): pass
    """) == [
        *("in_if", "in_elif", "in_for", "in_for_else", "in_while", "in_with"),
        *("in_try", "in_except", "in_try_else", "in_finally", "in_except_star", "in_case"),
        *("outer", "outer.in_async_for", "outer.in_async_with"),
    ]


def test_kinds_follow_the_place_and_the_decorator() -> None:
    found = find_functions(
        source("""
        def plain(): pass
        async def waits():
            def inner(): pass
        class A:
            def method(self): pass
            @classmethod
            def make(cls): pass
            @staticmethod
            def free(): pass
            @functools.cached_property
            def slow(self): pass
            @typing.overload
            def many(self, x: int): ...
            async def later(self): pass
        """)
    )
    assert [(function.name, function.kind, function.is_async) for function in found] == [
        ("plain", "function", False),
        ("waits", "function", True),
        ("waits.inner", "nested", False),
        ("A.method", "method", False),
        ("A.make", "classmethod", False),
        ("A.free", "staticmethod", False),
        ("A.slow", "property", False),
        ("A.many", "overload", False),
        ("A.later", "method", True),
    ]


def test_places_lines_and_counts() -> None:
    text = source('''
        import os

        @first
        @second(1)
        def f(x):
            """Doc."""
            if x:
                def g():
                    "inner doc"
                    return 1
            return x
            # the end

        y = 1
    ''')
    function = find_functions(text)[0]
    assert text[function.start : function.body_start] == b"@first\n@second(1)\ndef f(x):\n"
    assert text[: function.end].endswith(b"    # the end")
    assert (function.line, function.end_line) == (3, 12)
    assert function.has_docstring
    assert function.docstring is not None
    assert text[slice(*function.docstring)] == b'"""Doc."""'
    assert function.statements == 4  # if, def, return, return


def test_offsets_count_the_bytes_of_the_files_own_encoding() -> None:
    text = "# coding: cp1252\r\ns = '€é'\r\ndef grün(): return 'é'  # ü\r\nz = 1\r\n".encode("cp1252")
    (function,) = find_functions(text)
    assert function.name == "grün"
    assert text[function.start : function.end] == "def grün(): return 'é'  # ü".encode("cp1252")


def test_a_decorator_may_start_lines_above_its_expression() -> None:
    text = b"@(\n  # not @ here\n  cache)\ndef f(): pass\n"
    assert find_functions(text)[0].start == 0


def test_a_chain_of_branches_deeper_than_the_recursion_limit_is_walked() -> None:
    branches = "".join(f"elif x == {number}:\n    pass\n" for number in range(sys.getrecursionlimit() // 5))
    assert names(f"if x:\n    pass\n{branches}else:\n    def last(): pass\n") == ["last"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"def f(:\n", "cannot read line 1"),
        (b"print 'two'\n", "cannot read line 1"),
        (b"# coding: no-such\n", "encoding"),
        (b"# coding: utf-8\nx = '\xff'\n", "decode|encoding"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "encoding"),
        ("def f(): pass\n".encode("utf-16"), "decode|encoding|null"),
        (b"x = 1\0\n", "null"),
        (b"# coding: utf-7\nx = '+AOk-'; y = '+AOkA6Q-+AOk-'\n", "encode back|cannot read"),
        (b"(" * 500, "cannot read"),
    ],
)
def test_what_cannot_be_read_says_why(text: bytes, reason: str) -> None:
    with pytest.raises(Unparsable, match=reason) as raised:
        find_functions(text)
    assert raised.value.reason


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads type parameters")
def test_syntax_newer_than_the_running_python_is_a_reason_to_skip() -> None:
    with pytest.raises(Unparsable, match=r"Python 3\.11 cannot read line 1"):
        find_functions(b"def first[T](items: list[T]) -> T: return items[0]\n")


def test_an_empty_source_has_no_functions() -> None:
    assert find_functions(b"") == []
