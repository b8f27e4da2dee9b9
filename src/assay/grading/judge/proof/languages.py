"""Other languages, read by simple rules: comments, texts and blocks that are switched off prove nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAKEFILES = ("makefile", "gnumakefile", "snakefile", "justfile")


@dataclass(frozen=True)
class _Suffixes:
    slashes: tuple[str, ...]
    hashes: tuple[str, ...]


PLAIN_CODE = _Suffixes(
    slashes=(
        *(".c", ".cc", ".cpp", ".cxx", ".cu", ".h", ".hpp", ".js", ".mjs", ".ts", ".java", ".scala"),
        *(".go", ".rs"),
    ),
    hashes=(".r", ".jl", ".pl", ".rb", ".awk", ".mk", ".lua", ".m", ".f90"),
)
"""Languages whose comments begin with `//` or stand in `/* */`, and those with `#`, `--`, `%` or `!`."""

_SLASHED = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*(?:\"|$)|'(?:\\.|[^'\\\n])*(?:'|$)|`[^`]*(?:`|\Z))",
    re.DOTALL | re.MULTILINE,
)
_HASHED = re.compile(
    r"(?P<comment>#=.*?(?:=#|\Z)|(?:(?<=\s)|^)(?:#|--|%|!)[^\n]*)"
    r"|(?P<text>\"\"\".*?(?:\"\"\"|\Z)|\"(?:\\.|[^\"\\])*(?:\"|\Z)|'(?:\\.|[^'\\\n])*(?:'|$))",
    re.DOTALL | re.MULTILINE,
)
# Every alternative ends at the end of the text at the latest: one that could fail there would be tried again
# from each place, and a submission could make that slow.
_SWITCHED_OFF = re.compile(
    r"^[ \t]*#\s*if\s+0\b.*?(?:^[ \t]*#\s*(?:else|elif|endif)\b[^\n]*|\Z)", re.DOTALL | re.MULTILINE
)
_R_SWITCHED_OFF = re.compile(r"if\s*\(\s*(?:FALSE|F|0|false)\s*\)\s*(?:\{[^{}]*\}|[^\n]*)")
_IMPORTS = re.compile(
    r"^[ \t]*(?:#\s*include|import|using|library|require|use|package)\b[^\n]*$", re.MULTILINE
)


def c_proof(text: str) -> tuple[str, str]:
    """Code of the C family without comments, includes and `#if 0`, and its mask."""
    return _proof(_blank(_SWITCHED_OFF, text), _SLASHED, _R_SWITCHED_OFF)


def hash_proof(text: str) -> tuple[str, str]:
    """Code whose comments begin with a hash, and its mask."""
    return _proof(text, _HASHED, _R_SWITCHED_OFF)


def _proof(text: str, tokens: re.Pattern[str], dead: re.Pattern[str]) -> tuple[str, str]:
    code = tokens.sub(lambda match: _blanks(match.group()) if match["comment"] else match.group(), text)
    code = _blank(_IMPORTS, _blank(dead, code))
    mask = tokens.sub(lambda match: re.sub(r"\S", "\0", match.group()) if match["text"] else "", code)
    return code, mask if len(mask) == len(code) else code


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: _blanks(match.group()), text)


def _blanks(text: str) -> str:
    return re.sub(r"\S", " ", text)


_COMMENT = re.compile(r"(^|\s)#.*")
_HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_RUNS_INPUT = re.compile(
    r"\b(?:python[\d.]*|Rscript|R|julia|bash|sh|perl|ruby|node|octave|sqlite3|awk|gawk|lua|bc)\b"
)
_SAYS = re.compile(r"^\s*(?:echo|printf|:|true|cd|set|mkdir|rm|exit)(?:\s|$)")
_NOTE = re.compile(r"^\s*(?:export\s+|readonly\s+|local\s+)?\w+=['\"]([^'\"]*)['\"]\s*$")
_OFF = re.compile(r"^\s*(?:if|while)\s+(?:false|\[\[? *(?:0 *-eq *1|1 *-eq *0|-z .?x.?) *\]\]?)\s*(?:;|$)")
_OPENS, _CLOSES = re.compile(r"^\s*(?:if|while|for|until)\b"), re.compile(r"^\s*(?:fi|done)\b")


def shell_proof(text: str) -> tuple[str, str]:
    """Commands of a shell script that do something; a here-document counts where a program executes it."""
    commands: list[str] = []
    end: str | None = None
    executed, off = False, 0
    for line in text.splitlines():
        if end is not None:
            if line.strip() == end:
                end = None
            elif executed and not off:
                commands.append(_COMMENT.sub(r"\1", line))
            continue
        line = _COMMENT.sub(r"\1", line)
        here_document = _HERE.search(line)
        if here_document:
            end, executed = here_document[2], bool(_RUNS_INPUT.search(line[: here_document.start()]))
        if off or _OFF.match(line):
            off += bool(_OPENS.match(line)) - bool(_CLOSES.match(line))
            continue
        note = _NOTE.match(line)
        if not _SAYS.match(line) and not (note and len(note[1].split()) > 2):
            commands.append(line)
    joined = "\n".join(commands)
    return joined, joined
