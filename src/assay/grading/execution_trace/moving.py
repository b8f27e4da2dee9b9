"""Runs whose code only moves what is written elsewhere: it opens, copies and prints, and computes nothing.

What it does not cover: code that computes for show. A program that adds two numbers and then writes constants
is no longer recognised here; whoever reads the code sees it.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from assay.grading.execution_trace.records import ExecutionTrace
from assay.grading.execution_trace.statements import joins_text, never_run, own_lines, parse, statements
from assay.rules.programs import is_python

_MOVING_CALLS = frozenset(
    """open print dump dumps load loads safe_load safe_dump write writelines writerow writerows read
    readline readlines read_text write_text read_bytes write_bytes copy copyfile copy2 copytree move
    rename replace Path mkdir makedirs join dirname abspath resolve exists isfile is_file unlink
    remove close flush getcwd chdir exit str dict list tuple set float int bool format items keys
    values get append extend update strip split splitlines lower upper encode decode sleep
    ArgumentParser add_argument parse_args reader writer DictReader DictWriter writeheader read_csv
    read_json to_json to_csv to_dict read_yaml deepcopy zip enumerate isinstance basename glob
    OrderedDict""".split()  # noqa: SIM905
)
_MOVING_WORDS = frozenset(
    """echo printf cat cp mv mkdir cd set export touch rm ls tee true exit pwd source sleep ln chmod
    head tail python python3 bash sh exec : . then else fi do done if for [ [[ test trap shopt unset
    local return""".split()  # noqa: SIM905
)
_SHELL = (".sh", ".bash", ".zsh")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\$`])*\"")
_HERE_DOCUMENT = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")
_FIRST_WORD = re.compile(r"\s*(\w+)")


def only_moves(trace: ExecutionTrace, submitted: Mapping[str, bytes]) -> bool:
    """Whether all that ran only moves numbers; False where too little is known."""
    if trace.gap or trace.blind or trace.inline or trace.loose or trace.given or trace.opened is None:
        return False
    for path in trace.ran:
        text = submitted[path].decode(errors="replace")
        if path in trace.lines:
            if not _python_moves(text, frozenset(trace.lines[path]), _own_functions(trace, submitted)):
                return False
        elif is_python(path, submitted[path]) or not path.endswith(_SHELL) or not shell_moves(text):
            return False
    return bool(trace.ran)


def _own_functions(trace: ExecutionTrace, submitted: Mapping[str, bytes]) -> frozenset[str]:
    """The names of the functions that the programs define themselves: their bodies are looked at too."""
    names = set()
    for path in trace.lines:
        tree = parse(submitted[path].decode(errors="replace"))
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(node.name)
    return frozenset(names)


def _python_moves(text: str, lines: frozenset[int], own_names: frozenset[str]) -> bool:
    tree = parse(text)
    if tree is None:
        return False
    idle = never_run(tree, lines)
    executed = [node for node in statements(tree) if own_lines(node)[0] not in idle]
    return all(_moves(part, own_names) for node in executed for part in own_parts(node))


def own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The statement and its expressions, without the statements inside it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _moves(node: ast.AST, own_names: frozenset[str]) -> bool:
    if isinstance(node, ast.Call):
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        return name in _MOVING_CALLS or name in own_names
    if isinstance(node, ast.BinOp):
        return any(joins_text(side) for side in (node.left, node.right))
    return not isinstance(node, ast.AugAssign | ast.Lambda | ast.While)


def _without_here_documents(text: str) -> str:
    """The script with one word in place of each text that it gives to a command, in linear time."""
    lines, kept, number = text.split("\n"), [], 0
    ends: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        if (word := _FIRST_WORD.match(line)) is not None:
            ends.setdefault(word[1], []).append(at)
    while number < len(lines):
        line, end = lines[number], number
        opening = _HERE_DOCUMENT.search(line)
        if opening is not None:
            places = ends.get(opening[1], [])
            found = bisect_right(places, number)
            if found < len(places):
                end = places[found]
                rest = lines[end].lstrip().removeprefix(opening[1])
                line = f"{line[: opening.start()]} q {line[opening.end() :]}{rest}"
        kept.append(line)
        number = end + 1
    return "\n".join(kept)


def shell_moves(text: str) -> bool:
    """Whether a shell script only prints, copies and starts programs that are followed themselves."""
    plain = _QUOTED.sub(" q ", _without_here_documents(text.replace("\\\n", " ")))
    plain = "\n".join(line.partition("#")[0] for line in plain.splitlines())
    if "$(" in plain or "`" in plain:
        return False
    for segment in re.split(r"[\n;|&(){}]+", plain):
        words = [word for word in segment.split() if not re.match(r"\w+=", word)]
        if words and words[0] not in _MOVING_WORDS and words[0] != "!":
            return False
    return True
