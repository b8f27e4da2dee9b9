"""Writes what a task's instruction says about its numbers, and warns where a function can only be guessed.

The words come from the user (`--describe`), from a paper (`--paper`), from the program's docstring and from
the README, in this order.
"""

from __future__ import annotations

import ast
import itertools
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from assay.errors import TaskError
from assay.masking.engine import mask
from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.gold import GoldRuns
from assay.masking.pipeline.judge import FunctionProof
from assay.masking.pipeline.options import MaskingOptions
from assay.rules.fresh_calls import TEST_PROGRAM
from assay.tasks import DEFAULT, Metric, centre

MAX_LISTED = 24
"""More numbers under one name are not listed individually."""
MAX_PASSAGES = 3
MAX_PASSAGE = 700
"""Characters of one quoted passage."""
_PLAIN_CONSTANTS = {0, 1, 2, 3, -1, 10, 100, 0.5, None, "", " ", ","}
_TEXT_ENDINGS = (".py", ".md", ".rst", ".txt", ".tex", ".toml", ".cfg", ".json", ".yaml", ".yml", ".csv")


def instruction_of(name: str, bench: RepositoryRunner, gold: GoldRuns, options: MaskingOptions) -> str:
    """Return a task's instruction without the list of masked functions."""
    if options.tests:
        numbers = _tests_text(gold)
    else:
        # Without a hidden variation, the values themselves would be an answer.
        values = gold.numbers[DEFAULT] if gold.variations else {}
        lines = "\n".join(_metric_lines(gold.metrics, values))
        numbers = f"gives these\nnumbers:\n\n{lines}"
    passages = "\n\n".join(_passages(bench, gold.metrics, options))
    meaning = f"\n## What the numbers mean\n\n{passages}\n" if passages else ""
    return f"""# {name}

The workspace holds the code of a project. Run in its top folder, `{bench.command}` {numbers}
{meaning}"""


def _tests_text(gold: GoldRuns) -> str:
    cases = sum(int(runs[0]) for runs in gold.numbers[DEFAULT].values())
    return (
        f"runs unit\ntests of the project. With the right code {len(gold.metrics)} tests pass in {cases} "
        "cases.\n"
        "The numbers are how many cases of each test pass."
    )


def _metric_lines(metrics: Sequence[Metric], values: Mapping[str, Sequence[float]]) -> Iterator[str]:
    """Yield a line for each number, with its value if it is shown, or one line for a long row of numbers."""
    for _, group in itertools.groupby(metrics, lambda metric: metric.name.partition(".")[0]):
        row = [metric.name for metric in group]
        if len(row) > MAX_LISTED:
            yield f"- {row[0]}, {row[1]} … {row[-1]} ({len(row)} numbers)"
        else:
            yield from (
                f"- {name}" + (f" (here {centre(values[name]):.8g})" if name in values else "")
                for name in row
            )


def _passages(bench: RepositoryRunner, metrics: Sequence[Metric], options: MaskingOptions) -> Iterator[str]:
    """Yield what is known about the numbers, each passage with its source."""
    if options.describe:
        yield options.describe.strip()
    words = _words(metrics, bench.command)
    if options.paper is not None:
        yield from _quotes(_read_paper(options.paper), words, f"From the paper `{options.paper.name}`")
    if options.tests:
        return
    for path in shlex.split(bench.command, comments=False) if _is_plain(bench.command) else ():
        docstring = (
            _docstring(bench.files.get(path, b"")) if path.endswith(".py") and path != TEST_PROGRAM else ""
        )
        if docstring:
            yield f"From `{path}`:\n\n{_quote(docstring)}"
    readme = next((path for path in sorted(bench.files) if re.fullmatch(r"(?i)readme(\.\w+)?", path)), None)
    if readme is not None:
        yield from _quotes(bench.files[readme].decode(errors="replace"), words, f"From `{readme}`")


def _is_plain(command: str) -> bool:
    try:
        return bool(shlex.split(command))
    except ValueError:
        return False


def _words(metrics: Sequence[Metric], command: str) -> set[str]:
    """Return the names of the metrics and of the programs, by which a passage is found."""
    names = {part for metric in metrics for part in re.split(r"[.\W]+", f"{metric.name}.{metric.path}")}
    names |= {Path(word).name for word in command.split() if word.endswith(".py")}
    return {name for name in names if len(name) > 2 and not name.isdecimal()}


def _quotes(text: str, words: Collection[str], source: str) -> Iterator[str]:
    """Yield the paragraphs that mention most of the words, in their order in the text."""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    scores = {
        number: sum(bool(re.search(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", part)) for word in words)
        for number, part in enumerate(paragraphs)
        if not part.startswith(("#", "<", "[", "!", "```", "..", "|"))
    }
    best = sorted(
        (number for number in scores if scores[number]), key=lambda number: (-scores[number], number)
    )
    positions = sorted(best[:MAX_PASSAGES])
    if positions:
        yield f"{source}:\n\n" + "\n>\n".join(_quote(paragraphs[number]) for number in positions)


def _quote(text: str) -> str:
    excerpt = text if len(text) <= MAX_PASSAGE else text[:MAX_PASSAGE].rsplit(" ", 1)[0] + " …"
    return "\n".join(f"> {line}".rstrip() for line in excerpt.strip().splitlines())


def _docstring(source: bytes) -> str:
    try:
        return ast.get_docstring(ast.parse(source)) or ""
    except (SyntaxError, ValueError):
        return ""


def _read_paper(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        raise TaskError("--paper", f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError):
        raise TaskError(
            "--paper",
            f"{path} is no text",
            hint="give LaTeX, Markdown or plain text, such as pdftotext makes",
        ) from None


def guessed_functions(
    files: Mapping[str, bytes], proofs: Sequence[FunctionProof], instruction: str, run_is_tests: bool
) -> dict[str, str]:
    """Return the functions of whose body something is written nowhere else, with what it is.

    If tests are the run, the agent sees what they expect, and a constant follows from that.
    """
    reasons = {}
    for proof in proofs:
        defined = proof.candidate.defined
        masked = mask(files[defined.place.file], [defined.place.function]).source
        other_texts = [instruction.encode(), masked]
        other_texts += [
            data
            for path, data in files.items()
            if path != defined.place.file and path.endswith(_TEXT_ENDINGS)
        ]
        text = b"\n".join(other_texts).decode(errors="replace")
        body = [node for statement in defined.node.body for node in ast.walk(statement)]
        constants = (
            []
            if run_is_tests
            else [
                node.value
                for node in body
                if isinstance(node, ast.Constant) and not _is_known(node.value, text)
            ]
        )
        if constants:
            listed = ", ".join(repr(constant)[:40] for constant in dict.fromkeys(constants[:4]))
            reasons[str(defined.place)] = f"its constants {listed} are written nowhere else"
        elif ast.get_docstring(defined.node) is None and not _is_mentioned(defined.place.function, text):
            reasons[str(defined.place)] = "it has no docstring, and no other code or text names it"
    return reasons


def _is_known(value: object, text: str) -> bool:
    """True if a constant is common or written in the text; a long string is a message."""
    if isinstance(value, bytes) or (isinstance(value, str) and (len(value) > 40 or not value.strip())):
        return True
    try:
        if value in _PLAIN_CONSTANTS:
            return True
    except TypeError:
        return True
    if isinstance(value, str):
        return value in text
    return bool(re.search(rf"(?<![\w.]){re.escape(repr(value))}(?![\w.])", text)) or value is Ellipsis


def _is_mentioned(function: str, text: str) -> bool:
    """True if the name occurs beside its own definition."""
    return len(re.findall(rf"\b{re.escape(function.rpartition('.')[2])}\b", text)) > 1
