"""Every command and option that a message or a hint names exists; tests/docs checks the pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from typer.core import TyperGroup
from typer.main import get_command

import assay
from assay.cli import app, app_for
from assay.cli.grouping import GROUPS, NAMED_GROUPS
from tests.cli.conftest import Command

SOURCE = Path(assay.__file__).parent
FOREIGN = {"--unshallow"}
"""Options of other programs that messages name, such as git."""


def commands() -> dict[tuple[str, ...], set[str]]:
    """Each verb of the command line with its options."""
    found: dict[tuple[str, ...], set[str]] = {}

    def walk(group: TyperGroup, words: tuple[str, ...]) -> None:
        found[words] = {name for parameter in group.params for name in parameter.opts}
        for name, command in group.commands.items():
            if isinstance(command, TyperGroup):
                walk(command, (*words, name))
            else:
                found[(*words, name)] = {
                    option
                    for parameter in command.params
                    for option in (*parameter.opts, *parameter.secondary_opts)
                }

    top = get_command(app)
    assert isinstance(top, TyperGroup)
    walk(top, ())
    return found


COMMANDS = commands()
ALL_OPTIONS = {option for options in COMMANDS.values() for option in options} | {"--help", "-h"}


def text_of(node: ast.expr) -> str:
    """The text of a string in the source, with `…` for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    if isinstance(node, ast.IfExp):
        return f"{text_of(node.body)} {text_of(node.orelse)}"
    return "…"


def messages() -> Iterator[tuple[str, str]]:
    """Every text that the source prints, raises, or gives as a hint, a fix or a help."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "/data/" in str(path) or "/templates/" in str(path):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            for keyword in node.keywords:
                if keyword.arg in ("hint", "fix", "how", "help", "meaning", "mend"):
                    yield f"{path.name}:{node.lineno}", text_of(keyword.value)
            name = ast.unparse(node.func).rpartition(".")[2]
            if name == "print" or name.endswith(("Error", "Refused", "Failed", "Unavailable", "Check")):
                for argument in node.args:
                    yield f"{path.name}:{node.lineno}", text_of(argument)


def wrong_in(text: str, *, bare_options: bool) -> Iterator[str]:
    """What a text names that does not exist."""
    for found in re.finditer(r"(?<![\w./-])assay ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?([^`;|\n]*)", text):
        first, second, rest = found[1], found[2] or "", found[3]
        verb = (first, second) if (first, second) in COMMANDS else (first,)
        if verb not in COMMANDS:
            yield f"`assay {first}` is no command"
            continue
        own = COMMANDS[verb] | COMMANDS[()] | {"--help", "-h"}
        unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", rest)
        for option in re.findall(r"(?<![\w'\"=-])--[a-z][a-z-]+", unquoted):
            if option not in own:
                yield f"`assay {' '.join(verb)}` has no option {option}"
    if bare_options:
        for option in re.findall(r"(?<![\w'\"=-])--[a-z][a-z-]+", text):
            if option not in ALL_OPTIONS | FOREIGN:
                yield f"no command has the option {option}"


def test_every_message_names_commands_and_options_that_exist() -> None:
    texts = list(messages())
    assert len(texts) > 300
    wrong = [f"{place}: {what}" for place, text in texts for what in wrong_in(text, bare_options=True)]
    assert wrong == []


def test_the_checks_above_find_what_does_not_exist() -> None:
    assert list(wrong_in("see `assay certify --gold`", bare_options=True)) == [
        "`assay certify` has no option --gold",
        "no command has the option --gold",
    ]
    assert list(wrong_in("assay mend it", bare_options=True)) == ["`assay mend` is no command"]


def test_help_shows_every_verb_in_a_group_with_an_example(assay: Command) -> None:
    said = assay("--help")
    grouped = {verb: example for _, verbs in GROUPS.values() for verb, example in verbs.items()}
    top = {words[0] for words in COMMANDS if words} - set(NAMED_GROUPS)
    assert top == set(grouped)
    for verb, example in grouped.items():
        assert f"\n  {verb} " in said.out
        assert f"$ {example}\n" in said.out
        assert list(wrong_in(example, bare_options=False)) == []
    for name in NAMED_GROUPS:
        assert {words[1] for words in COMMANDS if len(words) == 2 and words[0] == name} == set(
            GROUPS[name][1]
        )


def described(command: Command) -> list[tuple[object, ...]]:
    """The parameters of a command, with what a user sees of them."""
    return [
        (option.name, option.opts, option.secondary_opts, option.required, getattr(option, "help", None))
        for option in command.params
    ]


def test_a_verb_alone_has_the_options_that_it_has_among_all() -> None:
    everything = get_command(app)
    assert isinstance(everything, TyperGroup)
    for name, command in everything.commands.items():
        chosen = get_command(app_for([name, "--help"]))
        assert isinstance(chosen, TyperGroup)
        if isinstance(command, TyperGroup):
            assert set(chosen.commands) == set(everything.commands)
            continue
        assert list(chosen.commands) == [name]
        assert described(chosen.commands[name]) == described(command)
    for others in ([], ["--version"], ["bench", "fetch"], ["no-such-verb"]):
        assert app_for(others) is app
