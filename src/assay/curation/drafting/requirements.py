"""Requirements from the trace and the syntax tree: which given functions the experiment calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from assay.curation.drafting.model import DraftRequirement
from assay.curation.evidence import EvidencePlace
from assay.curation.labels import slug
from assay.grading.derived_checks import RepositorySources, SourceModule, SourceReader
from assay.grading.execution_trace import ExecutionTrace
from assay.grading.execution_trace.statements import own_lines, statements
from assay.tasks import Fact

MOST_FUNCTIONS = 6
TABLE_TEXT = "table.csv of every run has exactly the numbers of its results.json."


def table_requirement() -> DraftRequirement:
    """Return the requirement that every curated task has; a check decides it."""
    return DraftRequirement(id="table", text=TABLE_TEXT)


def draft_requirements(
    scripts: Mapping[str, bytes], workspace: Mapping[str, bytes], trace: ExecutionTrace
) -> list[DraftRequirement]:
    """Return a requirement for each given function that the scripts name and the run called."""
    repository = RepositorySources({**workspace, **scripts})
    returned = {(call.path, call.name) for call in trace.calls if call.returned}
    requirements: dict[str, DraftRequirement] = {}
    for path, data in scripts.items():
        if not path.endswith(".py"):
            continue
        module = SourceModule(path, data.decode(errors="replace"))
        reader = SourceReader(module, repository)
        ran = frozenset(trace.lines.get(path, ()))
        for statement in statements(module.tree):
            if own_lines(statement)[0] not in ran:
                continue
            for call in reader.read([statement]).calls:
                symbol = call.symbol
                if (
                    symbol is None
                    or symbol.path not in workspace
                    or not _was_called(symbol.path, symbol.name, returned)
                ):
                    continue
                name = call.name.rpartition(".")[2]
                place = EvidencePlace(
                    kind="code", file=path, line=statement.lineno, text=f"calls {call.name}"
                )
                requirements.setdefault(
                    f"{symbol.path}:{symbol.name}",
                    DraftRequirement(
                        id=f"calls-{slug(name, 40).replace('_', '-')}",
                        text=f"The experiment calls `{name}` of `{symbol.path}`.",
                        facts=[
                            Fact(
                                kind="call", name=call.name, file=symbol.path, symbol=symbol.name, named=True
                            )
                        ],
                        gold=[path],
                        evidence=[place],
                    ),
                )
    return list(requirements.values())[:MOST_FUNCTIONS]


def without_repetition(requirements: Sequence[DraftRequirement]) -> list[DraftRequirement]:
    """Each function once, though several commands call it, and each with an id of its own."""
    by_function = {
        (fact.file, fact.symbol): requirement for requirement in requirements for fact in requirement.facts
    }
    ids: Counter[str] = Counter()
    unique = []
    for requirement in by_function.values():
        ids[requirement.id] += 1
        count = ids[requirement.id]
        unique.append(requirement.model_copy(update={"id": f"{requirement.id}-{count}"} if count > 1 else {}))
    return unique


def _was_called(path: str, name: str, returned: Collection[tuple[str, str]]) -> bool:
    return (path, name) in returned or (path, name.removesuffix(".__init__")) in returned
