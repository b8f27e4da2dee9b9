"""The forms in which a copy of a function stands in other files."""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import marshal
import pickle
import re
import zipfile
from collections.abc import Callable

CopyForm = tuple[str, Callable[[str], str | bytes]]
"""The name of the file, and how it holds a source."""

LINE_FORMATS = {
    "patch": "+{line}",
    "removed lines": "-{line}",
    "quote": "> {line}",
    "comment": "# {line}",
    "comment of C": "// {line}",
    "comment block": " * {line}",
    "continued prompt": "... {line}",
    "prompt of IPython": "   ...: {line}",
    "line number": "{number:4d}  {line}",
    "line number with a bar": "{number:>3} | {line}",
    "grep": "src/sim.py:{number}:{line}",
    "grep without number": "sim.py:{line}",
    "blame": "a1b2c3d4 (Ann 2024-01-01 {number:2}) {line}",
    "table": "| {number} | `{line}` |",
    "trailing comment": "{line}  # step {number}",
    "trace": '  File "sim.py", line {number}, in step\n{line}',
    "rich text": "{line}\\par",
    "text of a PDF": "({line}) Tj T*",
    "side by side": "{line:<60} | {line}",
    "listing": "\\mbox{{\\quad {line}}}\\\\",
    "list of YAML": '- "{line}"',
    "cell of a page": "<tr><td>{number}</td><td>{line}</td></tr>",
    "break of a page": "{line}<br/>",
    "data of XML": '<l n="{number}"><![CDATA[{line}]]></l>',
    "page of Cython": "<pre>+{number:03d}: {line}</pre>\n<pre>  __pyx_t = PyNumber({number});</pre>",
}


def each_line(source: str, line_format: str) -> str:
    """Write every line of a source in a format."""
    lines = source.splitlines()
    return "\n".join(line_format.format(line=line, number=number) for number, line in enumerate(lines, 1))


def _compiled(source: str) -> bytes:
    return b"\xa7\r\r\n" + b"\0" * 12 + marshal.dumps(compile(source, "sim.py", "exec"))


def _zipped(source: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("sim.pyc", _compiled(source))
    return target.getvalue()


def _coloured(source: str) -> str:
    return each_line(source, "\x1b[32m{line}\x1b[0m").replace("=", "\x1b[1;33m=\x1b[0m")


def _kerned(source: str) -> str:
    lines = [line.replace("(", "\\(").replace(")", "\\)") for line in source.splitlines()]
    pieces = [re.split("(?<==)", line) for line in lines]
    return "\n".join("[" + "-20".join(f"({piece})" for piece in line) + "] TJ" for line in pieces)


def _highlighted(source: str) -> str:
    """As Pandoc writes code for LaTeX."""

    def escaped(token: str) -> str:
        token = re.sub(r"([_&%#$])", r"\\\1", token).replace("-", "{-}").replace("[", "{[}")
        return token.replace("<", "\\textless{}").replace(">", "\\textgreater{}")

    tokens = re.findall(r"\s+|\w+|[^\w\s]", source)
    words = "".join(f"\\NormalTok{{{escaped(token)}}}" if token.strip() else token for token in tokens)
    return f"\\begin{{Shaded}}\n{words}\n\\end{{Shaded}}"


def _recorded(source: str) -> str:
    """As asciinema records somebody who types."""
    events = [json.dumps([place / 10, "o", letter]) for place, letter in enumerate(source, 1)]
    return "\n".join(['{"version": 2, "width": 80}', *events]) + "\n"


def _added_strings(source: str) -> str:
    lines = [
        " + ".join(json.dumps(piece) for piece in re.findall(".{1,9}", line)) for line in source.splitlines()
    ]
    return "\n".join(f'code += {line} + "\\n";' for line in lines if line)


def _subtitles(source: str) -> str:
    words = source.split()
    cues = [" ".join(words[start : start + 3]) for start in range(0, len(words), 3)]
    return "WEBVTT\n\n" + "\n".join(
        f"{number}\n00:00:{number:02d}.000 --> 00:00:{number + 1:02d}.000\n{cue}\n"
        for number, cue in enumerate(cues)
    )


def _without_definition(source: str) -> str:
    return "\n".join(line.strip() for line in source.splitlines()[1:])


OTHER_FORMS: dict[str, CopyForm] = {
    "plain": ("a.md", lambda source: source),
    "body": ("a.md", _without_definition),
    "script": ("b.py", lambda source: _without_definition(source).replace("return ", "result = ")),
    "one line": ("a.md", lambda source: "; ".join(_without_definition(source).splitlines())),
    "escapes of Markdown": ("a.md", lambda source: re.sub(r"([_*\[\]\-+])", r"\\\1", source)),
    "colours": ("a.log", _coloured),
    "colours in JSON": ("a.cast", lambda source: json.dumps(_coloured(source))),
    "entities": ("a.html", lambda source: "".join(f"&#{ord(character)};" for character in source)),
    "page in JSON": ("a.json", lambda source: json.dumps(f"<p>{html.escape(source)}</p>")),
    "escapes of JSON": ("a.json", lambda source: "".join(f"\\u{ord(character):04x}" for character in source)),
    "lines in JSON": ("a.json", lambda source: json.dumps({"code": source.splitlines()})),
    "table of values": ("a.csv", lambda source: f'id,code\n1,"{source}"\n'),
    "kerning of a PDF": ("a.pdf", _kerned),
    "highlighted by Pandoc": ("a.tex", _highlighted),
    "recorded in a terminal": ("a.cast", _recorded),
    "sum of strings": ("a.js", _added_strings),
    "subtitles": ("a.vtt", _subtitles),
    "base64 of each line": (
        "a.txt",
        lambda source: "\n".join(base64.b64encode(line.encode()).decode() for line in source.splitlines()),
    ),
    "pickle": ("a.pkl", lambda source: pickle.dumps({"source": source.splitlines()})),
    "wide characters": ("a.txt", lambda source: source.encode("utf-16")),
    "compressed patch": ("a.gz", lambda source: gzip.compress(each_line(source, "+{line}").encode())),
    "compiled": ("a.dat", _compiled),
    "compiled in an archive": ("a.zip", _zipped),
}
FORMS: dict[str, CopyForm] = {
    **{
        name: ("a.txt", lambda source, line_format=line_format: each_line(source, line_format))
        for name, line_format in LINE_FORMATS.items()
    },
    **OTHER_FORMS,
}
"""Every form, by name."""
