"""How much of EXP-Bench's published tasks the stages of `assay curate` find without a model and without runs.

`python benchmarks/recovery.py` needs `assay fetch expbench` and the repositories that it lists. For each task
it looks at what the stages read in its repository, and counts what they find of the published files,
variables, requirements and outcomes. The same count with the repository of another paper shows what agrees
by chance. The paper's text is not in these repositories, so outcomes are searched in their README files only.

`--sample FILE` writes items that the stages found, for readers who label them: `recovery_labels.py` gives the
precision from their labels. Each line of the sample is JSON with `id`, `kind`, `claim`, `place`, `context`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

from rich.console import Console
from rich.table import Table

from assay.benchmarks import expbench
from assay.benchmarks.expbench import Pin, Record
from assay.curation.commands import FoundCommand, find_commands
from assay.curation.imported_settings import find_imported_settings
from assay.curation.labels import label_words
from assay.curation.paper import PaperText
from assay.curation.paper.markdown import read_markdown
from assay.curation.settings import ExperimentSetting, find_settings
from assay.errors import TaskError
from assay.grading.derived_checks import RepositorySources, SourceModule, SourceReader
from assay.grading.execution_trace.statements import statements
from assay.scoring.statistics.rates import interval

MOST_SCRIPTS = 20
CONTEXT_LINES = 4
READ = (".py", ".md", ".sh", ".yml", ".yaml", ".txt", ".ipynb", ".rst")
MOST_BYTES = 2_000_000
_SHORT_FORMS = {
    "lr": "learning rate",
    "bs": "batch size",
    "wd": "weight decay",
    "acc": "accuracy",
    "dim": "dimension",
    "num": "number",
    "n": "number",
    "max": "maximum",
    "min": "minimum",
    "temp": "temperature",
    "len": "length",
    "init": "initial",
    "config": "configuration",
    "eval": "evaluation",
}
_SAYS_NOTHING = frozenset(
    [
        "number",
        "value",
        "values",
        "type",
        "name",
        "setting",
        "settings",
        "parameter",
        "used",
        "use",
        "default",
    ]
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")


@cache
def words_of(text: str) -> frozenset[str]:
    """Return the telling words of a name or a sentence: short forms written out, without endings."""
    words: set[str] = set()
    for word in label_words(text):
        for part in _SHORT_FORMS.get(word, word).split():
            stem = re.sub(
                r"(?:ies$|(?<=[a-z]{3})s$)", lambda match: "y" if match.group() == "ies" else "", part
            )
            words.add(stem)
    return frozenset(words - _SAYS_NOTHING)


def is_same_name(published: str, own: Iterable[str]) -> bool:
    """Whether one own name has at least half of the words of a published name, and all of its own words."""
    names = words_of(published)
    for name in own:
        words = words_of(name)
        shared = names & words
        is_telling = any(len(word) > 2 for word in shared)
        if is_telling and 2 * len(shared) >= max(len(names), len(words)):
            return True
    return False


def names_step(requirement: str, functions: Iterable[str]) -> bool:
    """Whether a requirement names a function: its identifier, or all words of one with two words or more."""
    words = words_of(requirement)
    for function in functions:
        parts = words_of(function)
        if re.search(rf"\b{re.escape(function)}\b", requirement) and (len(parts) > 1 or len(function) > 6):
            return True
        if len(parts) > 1 and parts <= words:
            return True
    return False


def numbers_in(texts: Iterable[object]) -> set[float]:
    """Return all plain numbers of some texts."""
    return {float(match) for text in texts for match in _NUMBER.findall(str(text))}


@dataclass
class OwnItems:
    """What the stages find in one repository, without knowing any published task."""

    files: dict[str, bytes]
    commands: list[FoundCommand]
    readmes: dict[str, PaperText]
    sources: RepositorySources
    settings: dict[str, list[ExperimentSetting]] = field(default_factory=dict)
    """Script → its settings."""
    functions: dict[str, dict[str, int]] = field(default_factory=dict)
    """Script → function of the repository that it calls → line."""

    @property
    def scripts(self) -> list[str]:
        """The files that the commands start."""
        return list(dict.fromkeys(script for command in self.commands if (script := script_of(command))))

    def look_at(self, scripts: Sequence[str]) -> None:
        """Read the settings and calls of these scripts."""
        for script in scripts:
            if script in self.files and script.endswith(".py") and script not in self.settings:
                source = self.files[script].decode(errors="replace")
                own = find_settings(script, source, ())
                self.settings[script] = [*own, *find_imported_settings(script, self.files)]
                self.functions[script] = called_functions(script, source, self.sources)


def script_of(command: FoundCommand) -> str:
    """Return the file that a command starts; empty if it is none of the repository."""
    if command.script or not command.command.startswith(("bash ", "sh ", "./")):
        return command.script
    return PurePosixPath(command.folder, command.command.split()[-1].removeprefix("./")).as_posix()


def called_functions(script: str, source: str, sources: RepositorySources) -> dict[str, int]:
    """Return the functions and classes of the repository that a script calls, with the line of the call."""
    try:
        module = SourceModule(script, source)
        reader = SourceReader(module, sources)
        calls: dict[str, int] = {}
        for statement in statements(module.tree):
            for call in reader.read([statement]).calls:
                if call.symbol is not None and call.symbol.path != script:
                    calls.setdefault(call.name.rpartition(".")[2], statement.lineno)
        return calls
    except (SyntaxError, RecursionError, ValueError):
        return {}


def read_items(files: dict[str, bytes]) -> OwnItems:
    """Do what the stages select and paper do, and read the scripts of the likeliest commands."""
    readmes = {
        path: read_markdown(data.decode(errors="replace"), path)
        for path, data in sorted(files.items())
        if PurePosixPath(path).name.lower().startswith("readme")
        and path.endswith(".md")
        and path.count("/") <= 2
    }
    items = OwnItems(files, find_commands(files), readmes, RepositorySources(files))
    items.look_at(items.scripts[:MOST_SCRIPTS])
    return items


def variables_found(
    record: Record, items: OwnItems, role: str, scripts: Sequence[str]
) -> tuple[int, int, int]:
    """Return how many variables of a role there are, how many have a name here, and how many a value too."""
    settings = [setting for script in scripts for setting in items.settings.get(script, ())]
    names = {setting.name: {float(setting.value)} for setting in settings}
    if role == "dependent":
        labels = [
            label for text in items.readmes.values() for table in text.tables for label in table.columns
        ]
        names = {label: set() for label in labels if label}
    variables = [variable for variable in record.variables if variable.role == role]
    named = valued = 0
    for variable in variables:
        hits = [name for name in names if is_same_name(variable.name, [name])]
        named += bool(hits)
        valued += any(names[name] & numbers_in(variable.values) for name in hits)
    return len(variables), named, valued


def stated_numbers(items: OwnItems) -> set[float]:
    """All numbers of README tables and sentences."""
    values = [
        cell.number.value
        for text in items.readmes.values()
        for table in text.tables
        for cell in table.numbers
        if cell.number
    ]
    stated = [
        number.number.value
        for text in items.readmes.values()
        for sentence in text.sentences
        for number in sentence.numbers
    ]
    return {*values, *stated}


def count_task(record: Record, items: OwnItems, counts: Counter[str]) -> None:
    """Add what the stages find of one task to the counts: `NAME` of `NAME of`."""
    source = [path for path in record.source if path in items.files]
    if source:
        counts["files of"] += 1
        counts["files"] += any(path in items.scripts for path in source)
    found_scripts = items.scripts[:MOST_SCRIPTS]
    for role in ("constant", "independent", "dependent"):
        total, named, valued = variables_found(record, items, role, found_scripts)
        counts.update({f"{role} of": total, role: named, f"{role}, value": valued})
        if source and role != "dependent":
            total, named, _ = variables_found(record, items, role, source)
            counts.update({f"{role}, right file of": total, f"{role}, right file": named})
    functions = {name for script in found_scripts for name in items.functions.get(script, ())}
    counts.update({"requirements of": len(record.requirements)})
    counts["requirements"] += sum(names_step(text, functions) for text in record.requirements)
    if source:
        functions = {name for script in source for name in items.functions.get(script, ())}
        counts["requirements, right file of"] += len(record.requirements)
        counts["requirements, right file"] += sum(names_step(text, functions) for text in record.requirements)
    telling = {float(number) for number in record.measured_decimals}
    counts["outcome numbers of"] += len(telling)
    counts["outcome numbers"] += len(telling & stated_numbers(items))
    counts["outcomes with numbers of"] += bool(telling)
    counts["outcomes with numbers"] += bool(telling & stated_numbers(items))


def sample_items(papers: Mapping[str, OwnItems], size: int, seed: int) -> Iterator[dict[str, object]]:
    """Yield so many own items of each kind, one paper after another in a random order."""
    source = random.Random(seed)
    pools: dict[str, list[list[dict[str, object]]]] = defaultdict(list)
    for paper, items in papers.items():
        by_kind: dict[str, list[dict[str, object]]] = defaultdict(list)
        for item in all_items(paper, items):
            by_kind[str(item["kind"])].append(item)
        for kind, group in by_kind.items():
            source.shuffle(group)
            pools[kind].append(group)
    for kind, groups in sorted(pools.items()):
        source.shuffle(groups)
        rounds = [group[position] for position in range(size) for group in groups if position < len(group)]
        for number, item in enumerate(rounds[:size], 1):
            yield {"id": f"{kind}-{number}", **item}


def all_items(paper: str, items: OwnItems) -> Iterator[dict[str, object]]:
    """Yield everything that the stages find in one repository, as claims that a reader can judge."""
    for command in items.commands[:MOST_SCRIPTS]:
        claim = f"`{command.command}` in `{command.folder or '.'}` runs an experiment of the paper"
        yield own_item(paper, items, "command", claim, script_of(command) or command.place.file, 1)
    for script in items.scripts[:MOST_SCRIPTS]:
        for setting in items.settings.get(script, ()):
            claim = f"`{setting.name}` = {setting.value} ({setting.kind}) is a setting of the experiment"
            yield own_item(paper, items, "setting", claim, script, setting.line)
        for name, line in items.functions.get(script, {}).items():
            claim = f"to call `{name}` is a step that the experiment needs"
            yield own_item(paper, items, "requirement", claim, script, line)
    for path, text in items.readmes.items():
        for sentence in text.sentences:
            for stated in sentence.numbers:
                claim = f"{stated.number.text} is a result or a setting that this sentence states"
                yield own_item(paper, items, "sentence number", claim, path, sentence.place.line or 1)


def own_item(paper: str, items: OwnItems, kind: str, claim: str, file: str, line: int) -> dict[str, object]:
    """Return one claim with the lines around its place."""
    lines = items.files.get(file, b"").decode(errors="replace").splitlines()
    first = max(0, line - 1 - CONTEXT_LINES)
    after = 25 if kind == "command" else line + CONTEXT_LINES
    context = "\n".join(text[:200] for text in lines[first:after])
    return {"kind": kind, "paper": paper, "claim": claim, "place": f"{file}:{line}", "context": context}


def print_recall(papers: Mapping[str, OwnItems], records: Sequence[Record], console: Console) -> None:
    """Print recall, and the same with the repository of another paper."""
    names = list(papers)
    counts: Counter[str] = Counter()
    by_chance: Counter[str] = Counter()
    for record in records:
        items = papers[record.paper.name]
        items.look_at(record.source)
        count_task(record, items, counts)
        other_paper = names[(names.index(record.paper.name) + 1) % len(names)]
        count_task(record, papers[other_paper], by_chance)
    title = f"{len(records)} tasks of {len(papers)} papers"
    table = Table(
        "published", "found", "of", "recall (95% interval)", "with another paper's repository", title=title
    )
    for name in [name.removesuffix(" of") for name in counts if name.endswith(" of")]:
        for suffix in ("", ", value"):
            if name + suffix in counts:
                table.add_row(
                    name + suffix,
                    str(counts[name + suffix]),
                    str(counts[f"{name} of"]),
                    share(counts[name + suffix], counts[f"{name} of"]),
                    share(by_chance[name + suffix], by_chance[f"{name} of"]),
                )
    console.print(table)


def share(part: int, whole: int) -> str:
    """Return a share in percent with its interval."""
    low, high = interval(part, whole)
    if low is None or high is None:
        return "unknown"
    return f"{part / whole:.0%} ({low:.0%} to {high:.0%})"


def main() -> None:
    """Measure recall, write a sample, or count labels."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=Path, help="write own items for readers to this file")
    parser.add_argument("--size", type=int, default=15, help="items of each kind in the sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--paper", action="append", help="only this paper (neurips2024/98316); may be repeated"
    )
    options = parser.parse_args()
    console = Console(width=140)
    records = expbench.read_records(expbench.require())
    papers: dict[str, OwnItems] = {}
    left_out: Counter[str] = Counter()
    for paper in records.papers.values():
        if options.paper and paper.name not in options.paper:
            continue
        files, reason = read_paper_files(paper.pin)
        if files is None:
            left_out[reason] += 1
            continue
        papers[paper.name] = read_items(files)
        console.print(f"{paper.name}: {len(papers[paper.name].commands)} commands", highlight=False)
    for reason, count in left_out.items():
        console.print(f"left out: {count} papers, {reason}", highlight=False)
    if options.sample:
        rows = sample_items(papers, options.size, options.seed)
        options.sample.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tasks = [task for task in records.tasks if task.paper.name in papers and not task.is_foreign]
    print_recall(papers, tasks, console)


def read_paper_files(pin: Pin | None) -> tuple[dict[str, bytes] | None, str]:
    """Return the files of a paper's repository, or why there are none."""
    if pin is None:
        return None, "without a pinned commit"
    try:
        folder = expbench.repository_files(pin)
    except TaskError:
        return None, "whose repository is not fetched"
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in READ]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in paths
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MOST_BYTES
    }, ""


if __name__ == "__main__":
    main()
