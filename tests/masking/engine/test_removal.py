from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from assay.masking.engine import MaskError, find_functions, mask, mask_file

STUB = 'raise NotImplementedError("masked: {}")'


def source(text: str) -> bytes:
    return dedent(text).lstrip("\n").encode()


def check(before: str, after: str, *names: str, **settings: Any) -> None:
    """Mask `names` of one source, expect another (STUB stands for the first name's), and undo it."""
    expected = dedent(after).lstrip("\n").replace("STUB", STUB.format(names[0])).encode()
    masked = mask(source(before), names, **settings)
    assert masked.source == expected
    assert masked.restore() == source(before)
    compile(masked.source, "masked", "exec")


def test_signature_decorators_and_docstring_stay() -> None:
    check(
        '''
        @cache   # keep
        @retry(times=3, why="a: b")
        def f(x: dict[str, "a:b"] = {1: 2},  # note: kept
              *, y=lambda z: z, **rest) -> "c:d":  # kept: too
            # it squares
            r"""Doc."""  # body

            return x ** 2

        after = 1
        ''',
        '''
        @cache   # keep
        @retry(times=3, why="a: b")
        def f(x: dict[str, "a:b"] = {1: 2},  # note: kept
              *, y=lambda z: z, **rest) -> "c:d":  # kept: too
            r"""Doc."""
            STUB

        after = 1
        ''',
        "f",
    )


def test_the_docstring_goes_with_keep_signature() -> None:
    check(
        'def f():\n    """Doc.\n\n    More.\n    """\n    return 1\n',
        "def f():\n    STUB\n",
        "f",
        keep="signature",
    )


@pytest.mark.parametrize(
    "docstring",
    [
        '"""a"""',
        "'''a\n\n  b'''",
        "'a'",
        'r"\\a"',
        '"a" "b"',
        '"a" \\\n    "b"',
        '("a"\n  "b")',
        'u"a"',
        '"""a"""  ',
        '"""a # b: c"""',
    ],
)
def test_docstrings_of_every_style(docstring: str) -> None:
    check(f"def f():\n    {docstring}\n    x = 1\n", f"def f():\n    {docstring.rstrip()}\n    STUB\n", "f")
    check(f"def f():\n    {docstring}\n", f"def f():\n    {docstring.rstrip()}\n    STUB\n", "f")
    check(f"def f():\n    {docstring}; x = 1\n", f"def f():\n    {docstring.rstrip()}\n    STUB\n", "f")


@pytest.mark.parametrize("first", ['f"a"', 'b"a"', '"a" + "b"', "1", "..."])
def test_what_is_no_docstring_goes(first: str) -> None:
    check(f"def f():\n    {first}\n    return 1\n", "def f():\n    STUB\n", "f")


def test_one_liners_stay_on_their_line() -> None:
    check("def f(x): return x  # x\ny = 1\n", "def f(x): STUB\ny = 1\n", "f")
    check("def f(x): a = x; return a;\n", "def f(x): STUB\n", "f")
    check("def f(x): 'doc'; return x", "def f(x): 'doc'; STUB", "f")
    check("def f(x): 'doc'; return x", "def f(x): STUB", "f", keep="signature")
    check("def f(x): \\\n  return x \\\n\ny = 1\n", "def f(x): \\\n  STUB\ny = 1\n", "f")


def test_comments_of_the_body_go_and_those_outside_stay() -> None:
    check(
        """
        class A:
            # above
            def f(self):
                # leading
        # leading too
                x = 1  # beside
                return x  # last
                # trailing

              # also deeper than def

            # of the class
            def g(self): pass
        """,
        """
        class A:
            # above
            def f(self):
                STUB

            # of the class
            def g(self): pass
        """.replace("STUB", STUB.format("A.f")),
        "A.f",
    )


def test_methods_properties_and_nested_functions() -> None:
    text = source("""
        class A:
            @property
            def p(self):
                return 1
            @p.setter
            def p(self, value):
                self.v = value
            @classmethod
            def c(cls): return cls()
            @staticmethod
            async def s():
                yield 1
        def outer():
            def inner():
                return 1
            return inner
    """)
    masked = mask(text, ["A.p#2", "A.s", "outer.inner"])
    assert masked.source == source("""
        class A:
            @property
            def p(self):
                return 1
            @p.setter
            def p(self, value):
                raise NotImplementedError("masked: A.p#2")
            @classmethod
            def c(cls): return cls()
            @staticmethod
            async def s():
                raise NotImplementedError("masked: A.s")
        def outer():
            def inner():
                raise NotImplementedError("masked: outer.inner")
            return inner
    """)
    assert masked.restore() == text


def test_overloads_are_told_apart() -> None:
    text = source("""
        @overload
        def f(x: int) -> int: ...
        @overload
        def f(x: str) -> str: ...
        def f(x): return x
    """)
    masked = mask(text, ["f#3"])
    assert masked.source == text.replace(b"return x", STUB.format("f#3").encode())


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indentation", ["  ", "\t", "    ", "\t "])
def test_newlines_and_indentation_are_the_files_own(newline: str, indentation: str) -> None:
    before = "class A:\n>@d\n>def f(self):\n>>'doc'\n>>if 1:\n>>>return 1\n>># end\nx = 1"
    after = "class A:\n>@d\n>def f(self):\n>>'doc'\n>>STUB\nx = 1".replace("STUB", STUB.format("A.f"))
    text = before.replace(">", indentation).replace("\n", newline).encode()
    masked = mask(text, ["A.f"])
    assert masked.source == after.replace(">", indentation).replace("\n", newline).encode()
    assert masked.restore() == text


def test_form_feeds_start_the_column_again() -> None:
    check(
        "\fdef f():\n    \f    'doc'\n\f    return 1\n \f# outside\n\f\nx = 1\n",
        "\fdef f():\n    \f    'doc'\n    \f    STUB\n \f# outside\n\f\nx = 1\n",
        "f",
    )


def test_a_byte_order_mark_and_a_declared_encoding_survive() -> None:
    marked = b"\xef\xbb\xbfdef f(): return '\xc3\xa9'\n"
    assert mask(marked, ["f"]).source == b"\xef\xbb\xbfdef f(): " + STUB.format("f").encode() + b"\n"
    for encoding in ("latin-1", "cp1252", "iso-8859-15", "utf-8"):
        before = f"# -*- coding: {encoding} -*-\nname = 'é'\ndef grün():\n    return 'ü'  # ß\n# ç\n"
        masked = mask(before.encode(encoding), ["grün"])
        after = before.replace("return 'ü'  # ß", STUB.format("grün"))
        assert masked.source == after.encode(encoding)
        assert masked.restore() == before.encode(encoding)
        assert masked.bodies() == {"grün": "    return 'ü'  # ß"}


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp", "gb18030", "big5", "iso2022_jp", "koi8-r"])
def test_encodings_whose_bytes_look_like_code(encoding: str) -> None:
    letters = "я#" if encoding == "koi8-r" else "表#"  # the second byte of 表 is a backslash in Shift JIS
    before = f"# coding: {encoding}\ndef f():\n    '{letters}'\n    return '{letters}'  # {letters}\n"
    masked = mask(before.encode(encoding), ["f"])
    after = before.replace(f"return '{letters}'  # {letters}", STUB.format("f"))
    assert masked.source == after.encode(encoding)
    assert masked.restore() == before.encode(encoding)


def test_what_an_encoding_cannot_hold_is_escaped() -> None:
    before = "# coding: latin-1\ndef f\xb5():\n    return 1\n".encode("latin-1")
    (function,) = find_functions(before)
    masked = mask(before, [function.name], description={function.name: "sum of α"})
    compile(masked.source, "masked", "exec")
    assert rb"# Description: sum of \u03b1" in masked.source
    assert masked.restore() == before


def test_match_walrus_f_strings_and_continued_lines() -> None:
    text = source("""
        def f(x):
            match x:
                case {"a": [1, *rest], **more} if (n := len(rest)) > 1:
                    return f"{n!r:>{x}} {x['a']}"
                case _:
                    return 1 + \\
                        2

        def g(
            x,

            # a: comment
            y=(1),
        ): return x
    """)
    assert mask(text, ["f", "g"]).source == source("""
        def f(x):
            raise NotImplementedError("masked: f")

        def g(
            x,

            # a: comment
            y=(1),
        ): raise NotImplementedError("masked: g")
    """)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs the syntax of Python 3.12")
def test_type_parameters_and_nested_quotes() -> None:
    check(
        "def f[T: (int, str), **P](x: T) -> 'a:b': return f'{x['a']}'\n",
        "def f[T: (int, str), **P](x: T) -> 'a:b': STUB\n",
        "f",
    )
    check("def f[T: 'a:b']():\n    return 1\n", "def f[T: 'a:b']():\n    STUB\n", "f")


def test_indentation_after_a_continued_line() -> None:
    check("if 1:\n    \\\ndef f(): return 1\n", "if 1:\n    \\\ndef f(): STUB\n", "f")
    check("def f():\n    \\\n  'doc'\n    return 1\n", "def f():\n    \\\n  'doc'\n    STUB\n", "f")
    text = b"if 1:\n    \\\ndef f(): return 1\n"
    compile(mask(text, ["f"], description={"f": "one"}).source, "masked", "exec")


def test_description_and_excerpt_stand_above_the_stub() -> None:
    check(
        """
        def f():
            "doc"
            return 1
        """,
        """
        def f():
            "doc"
            # Description: Returns one.
            # Always.
            # From the paper: f = 1 (eq. 2)
            STUB
        """,
        "f",
        description={"f": "Returns one.\nAlways.\n"},
        excerpt={"f": "f = 1 (eq. 2)"},
    )


def test_a_one_liner_with_a_description_opens_into_a_block() -> None:
    check(
        "def f(): return 1\n", "def f():\n    # Description: One.\n    STUB\n", "f", description={"f": "One."}
    )
    check(
        "def f(): 'doc'; return 1\n",
        "def f():\n    'doc'\n    # Description: One.\n    STUB\n",
        "f",
        description={"f": "One."},
    )


def test_a_description_cannot_break_out_of_its_comment() -> None:
    hostile = 'a\r\nimport os\x0bx\x0cy\x85z\u2028w\0v"""\x1cq'
    masked = mask(b"def f(): return 1\n", ["f"], description={"f": hostile})
    assert all(
        line.lstrip().startswith(("def", "#", "raise")) for line in masked.source.decode().splitlines()
    )
    compile(masked.source, "masked", "exec")


def call(text: bytes, name: str) -> Callable[..., Any]:
    space: dict[str, Any] = {}
    exec(compile(text, "masked", "exec"), space)
    return space[name]  # type: ignore[no-any-return]


def test_stubs_raise_and_name_the_function() -> None:
    text = b"def f(x): return x\nasync def g():\n    return 1\ndef h():\n    yield 1\n"
    masked = mask(text, ["f", "g", "h"]).source
    with pytest.raises(NotImplementedError, match="masked: f"):
        call(masked, "f")(1)
    with pytest.raises(NotImplementedError, match="masked: g"):
        asyncio.run(call(masked, "g")())
    with pytest.raises(NotImplementedError, match="masked: h"):
        list(call(masked, "h")())


def test_masking_twice_is_masking_both() -> None:
    text = b"def f():\n    return 1\n\ndef g():\n    'doc'\n    return 2\n"
    once = mask(text, ["g"])
    twice = mask(once.source, ["f"])
    assert twice.source == mask(text, ["f", "g"]).source
    assert twice.restore() == once.source
    assert once.restore() == text


def test_a_function_and_its_inner_one_are_refused_together() -> None:
    with pytest.raises(MaskError, match=r"f\.g\.h lies inside f") as raised:
        mask(b"def f():\n  def g():\n    def h(): pass\n", ["f", "f.g.h"])
    assert raised.value.hint == "choose one of the two: masking f removes f.g.h too"


@pytest.mark.parametrize("text", [b"f = lambda x: x\n", b"f: object = lambda x: x\n", b"a = f = lambda: 1\n"])
def test_a_lambda_is_refused_with_the_reason(text: bytes) -> None:
    with pytest.raises(MaskError, match=r"f is a lambda assigned to a name \(line 1\)"):
        mask(text, ["f"])


def test_an_unknown_name_is_refused_with_those_that_are_there() -> None:
    with pytest.raises(MaskError, match="no function is called 'fit'") as raised:
        mask(b"class A:\n  def fit(self): pass\n", ["fit"])
    assert raised.value.hint == "functions of that last name: A.fit"
    with pytest.raises(MaskError, match="is not masked"):
        mask(b"def f(): pass\n", ["f"], description={"g": "x"})


def test_a_whole_file_is_emptied_whatever_it_holds() -> None:
    for content in (b"import os\ndef f(): pass\n", b"#!/bin/sh\necho \xff\0\n", b""):
        masked = mask_file(content)
        assert masked.source == b""
        assert masked.restore() == content


def test_a_whole_file_can_keep_its_signatures_or_docstrings() -> None:
    text = source("""
        import os
        def f():
            "doc"
            def g(): pass
        class A:
            def m(self): return 1
    """)
    kept = source("""
        import os
        def f():
            "doc"
            raise NotImplementedError("masked: f")
        class A:
            def m(self): raise NotImplementedError("masked: A.m")
    """)
    assert mask_file(text, keep="docstrings").source == kept
    assert mask_file(text, keep="signatures").source == kept.replace(b'    "doc"\n', b"")
    assert mask_file(text, keep="signatures").restore() == text
