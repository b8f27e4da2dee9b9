"""Derives from the gold lines of a requirement what a run can show: its facts, each proved on the gold.

A requirement gets facts only where its cited lines do nothing but call functions of the repository, start its
programs, import modules or set values, and where the facts cover every number and every name in code that its
text states. All others go to a reader. Few and right is the aim.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.benchmarks.expbench.cited_lines import cited_lines, without_citations
from assay.benchmarks.expbench.fact_proof import why_unproved
from assay.benchmarks.expbench.gold_calls import TracedCalls, gold_calls
from assay.benchmarks.expbench.paths import matching_files
from assay.benchmarks.expbench.records import Record
from assay.grading.derived_checks import (
    PLUMBING,
    Parts,
    RepositorySources,
    SourceModule,
    SourceReader,
    StatementSummary,
    WrittenCall,
    WrittenProgram,
    cited_text,
    programs_of,
)
from assay.grading.execution_trace import parse
from assay.grading.execution_trace.statements import own_lines, statements
from assay.tasks import Fact
from assay.workspace.notebooks import notebook_script

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
_CODE_NAME = re.compile(r"--[\w-]+|\b\w+(?=\(\))|\b[A-Za-z]\w+(?:\.[A-Za-z]\w+)+|\b\w*[A-Za-z0-9]_\w+")
_FILE_NAME = re.compile(r"[\w.]+\.(?:py|sh|ipynb|ya?ml|json|md|csv|txt)")
_PATH_LIKE = re.compile(r"/|\.[a-z]{2,4}$|\$")
_ASKS_FOR_JUDGEMENT = re.compile(
    r"\b(?:compar(?:e|ing|ison)|analy[sz]\w*|interpret\w*|conclu\w+|summari[sz]\w*|determin\w+|discuss\w*|observ(?:e|es|ing)\b"
    r"|verif\w+|assess\w*|demonstrat\w*|quantif\w+)\b",
    re.IGNORECASE,
)
_REPEATS = re.compile(
    r"\b(?:each|every|both|different|various|varying|multiple|several|all|repeat\w*)\b", re.IGNORECASE
)
MOST_VALUES = 40
"""Values of one setting; a longer list is data."""
MOST_SETTINGS = 6
"""Settings of one requirement: who sets more of them sets defaults, which others need not share."""


LEAST_LETTERS = 3
"""Letters of an argument that a text may state word for word."""


@dataclass(frozen=True)
class DerivedFacts:
    """The facts of one requirement, or why it has none."""

    facts: list[Fact] = field(default_factory=list)
    cited: dict[str, Parts] = field(default_factory=dict)
    """The lines of the repository that the requirement cites."""
    reason: str = ""
    """Why there are no facts, in a few words that can be counted."""


class NoFacts(Exception):
    """The gold lines of a requirement do not reduce to facts."""


def derived_facts(
    record: Record, tree: Mapping[str, bytes], calls: TracedCalls | None = None
) -> list[DerivedFacts]:
    """Return the proved facts of each requirement of a record, in order; `tree` is its whole repository.

    `calls` says where calls of the gold led when it ran; without, what Assay ships for the task.
    """
    masked = set(matching_files(record.masked, tree))
    given = {path: data for path, data in tree.items() if path not in masked}
    repository = RepositorySources(given, masked, gold_calls(record.id) if calls is None else calls)
    cited_first = [*record.source, *masked]
    return [_derive(text, tree, repository, cited_first) for text in record.requirements]


def count_derived(
    records: Iterable[Record], find_tree: Callable[[Record], Mapping[str, bytes] | None]
) -> Counter[str]:
    """Count the requirements of records: `proved`, `no repository at hand`, or why there are no facts."""
    counts: Counter[str] = Counter()
    for record in records:
        tree = find_tree(record)
        if tree is None:
            counts["no repository at hand"] += len(record.requirements)
            continue
        for derived in derived_facts(record, tree):
            counts["proved" if derived.facts else derived.reason] += 1
    return counts


def _derive(
    text: str, tree: Mapping[str, bytes], repository: RepositorySources, cited_first: Sequence[str]
) -> DerivedFacts:
    cited = cited_lines(text, tree, cited_first)
    if not cited:
        return DerivedFacts(reason="cites no lines of the repository")
    source = "\n".join(cited_text(path, tree[path], parts) for path, parts in cited.items())
    words = without_citations(text)
    if _names_more(words, source):
        return DerivedFacts(cited=cited, reason="the text names in code what the cited lines do not")
    if _ASKS_FOR_JUDGEMENT.search(words):
        return DerivedFacts(cited=cited, reason="the text asks for a judgement")
    # A default that the text states may be overridden by an option of the run.
    is_default = "add_argument" in source and _NUMBER.search(words) is not None
    facts = [] if is_default or _counts_more(words, source, []) else _line_facts(cited, repository)
    reason = ""
    try:
        call_facts = _other_facts(words, cited, tree, repository)
        if _counts_more(words, source, call_facts):
            raise NoFacts("the text states a number that the cited lines do not")
        facts += call_facts
    except NoFacts as error:
        reason = str(error)
    proved, why = why_unproved(facts, cited, tree, repository)
    return DerivedFacts(proved, cited, "" if proved else why or reason)


def _counts_more(words: str, source: str, facts: Sequence[Fact]) -> bool:
    """Whether the text states a number that neither the cited lines nor the facts contain."""
    stated = {float(number.replace(",", "")) for number in _NUMBER.findall(words)}
    values = " ".join(
        str(value) for fact in facts for fact_values in fact.values.values() for value in fact_values
    )
    written = re.findall(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", f"{source} {values}")
    return not stated <= set(map(float, written))


def _names_more(words: str, source: str) -> bool:
    """Whether the text names something in code that the cited lines do not contain."""
    plain = source.replace("-", "_")
    names = [name.strip("-").replace("-", "_") for name in _CODE_NAME.findall(words)]
    names = [name for name in names if not _FILE_NAME.fullmatch(name)]
    # `Trainer.fit` may be written `trainer.fit`.
    return any(name.rpartition(".")[2] not in plain for name in names)


def _line_facts(cited: Mapping[str, Parts], repository: RepositorySources) -> list[Fact]:
    """The cited lines themselves, where all of them are of Python files that the agent is given."""
    if not all(path.endswith(".py") and path in repository.files for path in cited):
        return []
    return [Fact(kind="lines", name=path, lines=parts) for path, parts in cited.items()]


def _other_facts(
    words: str, cited: Mapping[str, Parts], tree: Mapping[str, bytes], repository: RepositorySources
) -> list[Fact]:
    facts: list[Fact] = []
    for path, parts in cited.items():
        if path.endswith(".sh"):
            facts += _program_facts(path, parts, tree, repository)
        elif path.endswith((".py", ".ipynb")):
            facts += _python_facts(words, path, parts, tree, repository)
        else:
            raise NoFacts("cites a file that is no program")
    if not facts:
        raise NoFacts("the cited lines call nothing of the repository")
    if sum(fact.kind == "setting" for fact in facts) > MOST_SETTINGS:
        raise NoFacts("the cited lines set too many values")
    if not _only_imports(facts) and _specifies_more(words, facts):
        raise NoFacts("the text specifies what no fact states")
    values = [values for fact in facts for values in fact.values.values()]
    if (
        _REPEATS.search(words)
        and not any(len(fact_values) > 1 for fact_values in values)
        and not _only_imports(facts)
    ):
        raise NoFacts("the text asks for repetitions, and the cited lines show none")
    return list({fact.model_dump_json(): fact for fact in facts}.values())


def _specifies_more(words: str, facts: Sequence[Fact]) -> bool:
    """Whether something in brackets or quotes is in no fact: `two algorithms (MAPPO, QMIX)`."""
    covered = " ".join(fact.model_dump_json() for fact in facts).casefold()
    quoted = re.findall(r"'([^']*)'|\"([^\"]*)\"|\(([^()]*)\)", re.sub(r"(?<=\w)'(?=\w)|\w\(\)", " ", words))
    tokens = [token for groups in quoted for token in re.findall(r"\w+", "".join(groups).casefold())]
    return any(token not in covered for token in tokens if token not in ("e", "g", "i", "or", "and", "the"))


def _only_imports(facts: Sequence[Fact]) -> bool:
    return all(fact.kind == "import" for fact in facts)


def _program_facts(
    path: str, parts: Parts, tree: Mapping[str, bytes], repository: RepositorySources
) -> list[Fact]:
    text = tree[path].decode(errors="replace")
    programs = [program for first, last in parts for program in programs_of(text, first, last)]
    facts: dict[str, dict[str, list[str]]] = {}
    for program in programs:
        target = program_path(program, repository, path)
        if target is None:
            raise NoFacts("starts a program that is not of the repository")
        options = facts.setdefault(target, {})
        if program.is_part and any(
            _is_path(value) for values in program.options.values() for value in values
        ):
            raise NoFacts("an option is a path, which another hand-in need not have")
        for name, values in program.options.items():
            plain = [value for value in values if not _PATH_LIKE.search(value)]
            if plain and not name.endswith(("path", "id", "name", "des")):
                options[name] = list(dict.fromkeys([*options.get(name, []), *plain]))
    return [
        Fact(kind="program", name=target, values={name: list(values) for name, values in options.items()})
        for target, options in facts.items()
    ]


def program_path(program: WrittenProgram, repository: RepositorySources, script: str) -> str | None:
    """The file of the repository that a command runs; the script may stand in the file's folder or above."""
    if program.target.startswith("-m "):
        return repository.find_module(program.target[3:], script)
    folder = script.rpartition("/")[0]
    candidates = (program.target, f"{folder}/{program.target}")
    return next((path for path in candidates if path in repository.files), None)


def _python_facts(
    words: str, path: str, parts: Parts, tree: Mapping[str, bytes], repository: RepositorySources
) -> list[Fact]:
    module, cited_statements = gold_statements(path, parts, tree[path])
    reading = SourceReader(module, repository).read(cited_statements)
    if cited_statements and all(isinstance(node, ast.Import | ast.ImportFrom) for node in cited_statements):
        return _import_facts(words, reading, repository, path)
    if reading.own_work:
        raise NoFacts("the cited lines compute something themselves")
    facts = [fact for call in reading.calls for fact in _call_fact(words, call, repository)]
    for name, values in reading.settings.items():
        if len(values) <= MOST_VALUES:
            facts.append(Fact(kind="setting", name=name, values={name: values}, named=_relates(words, name)))
    if not any(fact.named or fact.kind == "call" for fact in facts):
        raise NoFacts("the text has nothing to do with what the cited lines set")
    if path.endswith(".ipynb") and not any(fact.named for fact in facts):
        raise NoFacts("the text names nothing of the cited lines of a notebook, which may have moved")
    return facts


def gold_statements(path: str, parts: Parts, data: bytes) -> tuple[SourceModule, list[ast.stmt]]:
    """The gold file, and those of its statements that begin in the cited lines."""
    if path.endswith(".ipynb"):
        script = (notebook_script(data) or b"").decode(errors="replace")
        snippet = parse(textwrap.dedent(cited_text(path, data, parts)))
        return SourceModule(path, script), list(statements(snippet)) if snippet is not None else []
    module = SourceModule(path, data.decode(errors="replace"))
    begins = [node for node in statements(module.tree) if not _is_text(node)]
    return module, [
        node for node in begins if any(first <= own_lines(node)[0] <= last for first, last in parts)
    ]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _call_fact(words: str, call: WrittenCall, repository: RepositorySources) -> list[Fact]:
    last = call.name.rpartition(".")[2]
    symbol = call.symbol
    stated = {name: values for name, values in call.traced.items() if _states(words, values[0])}
    values = {
        name: list(values)
        for name, values in {**stated, **call.arguments}.items()
        if len(values) <= MOST_VALUES
    }
    texts = {
        name: argument_values
        for name, argument_values in values.items()
        if not any(map(_is_path, argument_values))
    }
    if symbol is not None:
        called = last if not symbol.name.endswith(".__init__") else symbol.name.split(".")[-2]
        return [
            Fact(
                kind="call",
                name=call.name,
                file=symbol.path,
                symbol=symbol.name,
                values=texts,
                named=_names(words, called) and not symbol.is_wrapped,
            )
        ]
    if last in PLUMBING or last == "add_argument":
        return []
    package = call.name.partition(".")[0]
    is_named = _names(words, last) or (_mentions(words, last) and package.casefold() in words.casefold())
    if call.is_imported and is_named and repository.find_module(package, "") is None:
        return [Fact(kind="call", name=call.name, values=texts, named=True)]
    raise NoFacts("calls what is not of the repository")


def _states(words: str, value: object) -> bool:
    """Whether a text states a value, as a number or word for word."""
    if isinstance(value, str):
        return len(value) >= LEAST_LETTERS and value.casefold() in words.casefold()
    numbers = [float(number.replace(",", "")) for number in _NUMBER.findall(words)]
    return not isinstance(value, bool) and isinstance(value, int | float) and float(value) in numbers


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(_PATH_LIKE.search(value))


def _import_facts(
    words: str, reading: StatementSummary, repository: RepositorySources, path: str
) -> list[Fact]:
    """The imported modules that the text names; all that are not of the standard library if it names none."""
    names: dict[str, bool] = {}
    for module in reading.imports:
        top, parent = module.partition(".")[0], module.rpartition(".")[0]
        if repository.find_module(module, path) or (parent and repository.find_module(parent, path)):
            # A symbol that the text does not name stands for its module.
            name = module if not parent or _mentions(words, module.rpartition(".")[2]) else parent
            names[name] = name in words or _mentions(words, name.rpartition(".")[2])
        elif not repository.is_masked(module):
            submodule = next((name for name in (module, parent) if name and name in words), "")
            names[submodule or top] = bool(submodule) or _mentions(words.casefold(), top.casefold())
    mentioned = [name for name, is_named in names.items() if is_named]
    modules = mentioned or [name for name in names if name.partition(".")[0] not in sys.stdlib_module_names]
    return [Fact(kind="import", name=name, named=name in mentioned) for name in modules]


def _relates(words: str, setting: str) -> bool:
    """Whether a text is about a setting: it contains a long word of the setting's name."""
    parts = [part for part in setting.casefold().split("_") if len(part) >= 4]
    return any(part in words.casefold() for part in parts)


def _mentions(words: str, name: str) -> bool:
    """Whether a text contains a name; a short one counts only where it is written as code."""
    if len(name) >= 4 or "_" in name:
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) is not None
    return _names(words, name)


def _names(words: str, name: str) -> bool:
    """Whether a text names something in code, so that no other function can be meant.

    `train` may be an ordinary word: it counts only where it is written as code.
    """
    word = re.escape(name)
    if "_" in name.strip("_") or len(re.findall("[A-Z]", name)) >= 2:
        return re.search(rf"(?<!\w){word}(?!\w)", words) is not None
    kinds = "function|method|class|object|instance|constructor"
    pattern = rf"[.`]{word}(?!\w)|(?<!\w){word}[`(]|(?<!\w){word} (?:{kinds})\b|\b(?:{kinds}) {word}(?!\w)"
    return re.search(pattern, words) is not None
