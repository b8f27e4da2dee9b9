"""Sources made up by hypothesis: functions in every dress, in every encoding, newline and indentation.

In the templates « stands for the definition's indentation, » for its body's.
"""

from __future__ import annotations

from hypothesis import strategies as st

_ENCODINGS = ["utf-8", "utf-8-sig", "latin-1", "cp1252", "shift_jis"]
_HEADERS = [
    "«def NAME():",
    "«def NAME(self, x: 'a:b' = {1: 2}, *rest, key=lambda: 0, **more) -> 'c:d':",
    "«async def NAME(x=(1), /):",
    "«@decorate\n«def NAME(\n  x,  # : @\n\n  y=':',\n):",
    "«@(  # @\n a)\n«@b . c\n«def NAME \\\n ( ) :",
    "«def NAME(x=[\n'''\ndef no(): # ''',\n]): \t",
]
_ONE_LINERS = [
    "return x",
    "pass;",
    "'doc'; return x  # beside",
    "'doc'",
    "\\\n x = 1 \\\n\n",
    "x: int; 'LETTER'",
]
_LEADERS = ["", "  # behind the colon: LETTER", "\n»# leading", "\n\n# leading, far out\n\f"]
_DOCSTRINGS = ["'doc'", '"""doc\n# no comment\n"""', "r'\\d'", "'a' \\\n 'b'", "('a'\n'b')", "'LETTER' ;"]
_STATEMENTS = [
    "pass",
    "return x",
    "x = 1; y = 2;",
    "x = '''\nnot a line\n'''",
    "if x:\n»  return 1\n»else:\n»  pass",
    "def inner(): 'doc'; return 1",
    "@decorate\n»async def inner():\n»  # inner\n»  return 1",
    "match x:\n»  case [1, *_]:\n»    y = (z := 1)",
    "y = 1 + \\\n  2",
    "class Local:\n»  def method(self): pass",
    "x = f'{x!r:>{y}} LETTER'",
    "return x \\\n",
    "# comment LETTER\n»pass",
    "# shallow\n»\n»pass  # beside",
]
_TRAILERS = ["", "\n»# trailing", "\n\n» # deeper\n\n", "\n# outside", "  # beside LETTER", "\n\f\n"]
_BETWEEN = ["\n", "\n\nx = 'LETTER'\n", "\n# between\n", "\n\n\f\nif x: y = 1\n"]


@st.composite
def _functions(draw: st.DrawFn) -> str:
    header = draw(st.sampled_from(_HEADERS))
    if draw(st.integers(0, 3)) == 0:
        return f"{header} {draw(st.sampled_from(_ONE_LINERS))}"
    docstring = draw(st.sampled_from([None, *_DOCSTRINGS]))
    statements = draw(st.lists(st.sampled_from(_STATEMENTS), min_size=docstring is None, max_size=3))
    body = "".join(f"\n»{statement}" for statement in ([docstring] if docstring else []) + statements)
    return header + draw(st.sampled_from(_LEADERS)) + body + draw(st.sampled_from(_TRAILERS))


@st.composite
def sources(draw: st.DrawFn) -> bytes:
    """Up to four functions, some of them methods, with module code and comments between."""
    encoding = draw(st.sampled_from(_ENCODINGS))
    unit = draw(st.sampled_from(["  ", "    ", "\t", " "]))
    parts = [] if encoding.startswith("utf-8") else [f"# -*- coding: {encoding} -*-\n"]
    for number in range(draw(st.integers(1, 4))):
        outer = draw(st.sampled_from(["", unit]))
        written = draw(_functions()).replace("NAME", f"f{number}")
        parts.append(f"class C{number}:\n" if outer else "")
        parts.append(written.replace("«", outer).replace("»", outer + unit))
        parts.append(draw(st.sampled_from(_BETWEEN)))
    text = "".join(parts).replace("LETTER", "表" if encoding == "shift_jis" else "é")
    if draw(st.booleans()):
        text = text.rstrip("\n")
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"]))).encode(encoding)
