"""AutoExperiment's published numbers, made again from its published rows where there are rows.

Tables are found by their columns: `combined-id` and `all_correct` hold one attempt a task, `run1` and so on
several; the model is told by the file's name, n by the id. The rows carry no licence and do not ship.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from assay.errors import UsageError
from assay.scoring.logs.findings import Finding
from assay.scoring.logs.table_checks import TableRow, suspicions
from assay.scoring.published.totals import Published, published
from assay.scoring.statistics.pairs import corrected, mcnemar
from assay.scoring.statistics.pass_at_k import Repeats, pass_all_k, pass_at_k
from assay.scoring.statistics.rates import Rate, make_rate
from assay.tasks.metric import Strict

NEAR = 0.0006
"""Within the rounding of the cited totals."""
MODELS = {
    "gpt4omini": "GPT-4o mini",
    "gpt4o": "GPT-4o",
    "claude35": "Claude 3.5 Sonnet",
    "claude37": "Claude 3.7 Sonnet",
}


class PassRate(Strict):
    """Pass@1 of one model at one n."""

    model: str
    n: int
    published: float | None
    rate: Rate | None
    """From the rows or, where there are none, the count that the published share must be of."""
    from_rows: bool
    agrees: bool | None
    """None where one of the two is missing."""


class RepeatedRuns(Strict):
    """What several attempts at each task say of one model."""

    model: str
    tasks: int
    attempts: int
    """Those with an outcome."""
    repeats: list[Repeats]
    published: dict[str, float]
    """What the paper says, over tasks of which only these have rows."""


class PairOfModels(Strict):
    """Two models on the same tasks."""

    n: int
    first: str
    second: str
    tasks: int
    """Those with an outcome of both."""
    first_only: int
    second_only: int
    p: float
    """McNemar, exact, two-sided."""
    holm: float


class PublishedRows(Strict):
    """All of it."""

    rates: list[PassRate]
    repeated: list[RepeatedRuns]
    pairs: list[PairOfModels]
    findings: list[Finding]


Outcomes = dict[str, bool | None]
"""Task → whether it passed; None for a row without an outcome."""


def recompute_autoexperiment(folder: Path | None) -> PublishedRows:
    """The published numbers beside what the rows below a folder give; without one, from the totals alone."""
    single, repeated, findings = _read(folder) if folder else ({}, {}, [])
    cited = [row for row in published("autoexperiment") if row.agent == "agentic"]
    return PublishedRows(
        rates=_rates(single, cited),
        repeated=[_repeated(model, runs, cited) for model, runs in repeated.items()],
        pairs=_pairs(single),
        findings=findings,
    )


def _rates(single: Mapping[tuple[str, int], Outcomes], cited: Sequence[Published]) -> list[PassRate]:
    stated = {(row.model, int(row.setting[2:])): row for row in cited if row.measure == "pass@1"}
    found = []
    for model, n in sorted({*single, *stated}, key=lambda key: (key[1], key[0])):
        total = stated.get((model, n))
        outcomes = single.get((model, n))
        rate = None
        if outcomes is not None:
            passed, blank = (sum(each is wanted for each in outcomes.values()) for wanted in (True, None))
            rate = make_rate(passed, len(outcomes), {"grader": blank} if blank else None)
        elif total is not None and total.denominator:
            rate = make_rate(round(total.value * total.denominator), total.denominator)
        near = None
        if rate is not None and rate.rate is not None and total is not None:
            near = abs(rate.rate - total.value) <= NEAR
        found.append(
            PassRate(
                model=model,
                n=n,
                published=total.value if total else None,
                rate=rate,
                from_rows=outcomes is not None,
                agrees=near,
            )
        )
    return found


def _repeated(model: str, runs: Mapping[str, list[bool]], cited: Sequence[Published]) -> RepeatedRuns:
    counts = [(len(outcomes), sum(outcomes)) for outcomes in runs.values()]
    most = max(scored for scored, _ in counts)
    repeats = []
    for k in range(1, most + 1):
        enough = [(scored, passed) for scored, passed in counts if scored >= k]
        repeats.append(
            Repeats(
                k=k,
                pass_at=_mean([pass_at_k(scored, passed, k) for scored, passed in enough]),
                pass_all=_mean([pass_all_k(scored, passed, k) for scored, passed in enough]),
                tasks=len(enough),
                undefined=len(counts) - len(enough),
            )
        )
    stated = {row.measure: row.value for row in cited if row.model == model and row.setting == "n=1"}
    return RepeatedRuns(
        model=model,
        tasks=len(runs),
        attempts=sum(scored for scored, _ in counts),
        repeats=repeats,
        published=stated,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _pairs(single: Mapping[tuple[str, int], Outcomes]) -> list[PairOfModels]:
    found: list[PairOfModels] = []
    for n in sorted({n for _, n in single}):
        models = sorted(model for model, size in single if size == n)
        for first, second in combinations(models, 2):
            ones, others = single[first, n], single[second, n]
            both = [(ones[task], others[task]) for task in ones if task in others]
            shared = [pair for pair in both if None not in pair]
            first_only, second_only = shared.count((True, False)), shared.count((False, True))
            found.append(
                PairOfModels(
                    n=n,
                    first=first,
                    second=second,
                    tasks=len(shared),
                    first_only=first_only,
                    second_only=second_only,
                    p=mcnemar(first_only, second_only),
                    holm=1.0,
                )
            )
    holm, _ = corrected(tuple(each.p for each in found))
    return [each.model_copy(update={"holm": value}) for each, value in zip(found, holm, strict=True)]


def _read(
    folder: Path,
) -> tuple[dict[tuple[str, int], Outcomes], dict[str, dict[str, list[bool]]], list[Finding]]:
    single: dict[tuple[str, int], Outcomes] = {}
    repeated: dict[str, dict[str, list[bool]]] = {}
    rows: list[TableRow] = []
    findings: list[Finding] = []
    for path, model, table in _tables(folder):
        if "allcorrect" in table[0]:
            by_n: dict[int, Outcomes] = defaultdict(dict)
            for line in table:
                by_n[line["combinedid"].count(",") + 1].setdefault(
                    line["combinedid"], _passed(line["allcorrect"])
                )
            taken = [n for n in by_n if (model, n) not in single]
            single |= {(model, n): by_n[n] for n in taken}
            if len(taken) < len(by_n):
                findings.append(Finding(log=path.name, what="not read: another table has the same rows"))
                continue
            rows += [
                TableRow(model, line["combinedid"], (line["allcorrect"], *filter(None, [line.get("step")])))
                for line in table
            ]
        elif model not in repeated:
            tasks = [line for line in table if re.fullmatch(r"[\d.]+_[\d,]+", line["combinedid"])]
            repeated[model] = {line["combinedid"]: _runs(line) for line in tasks}
    if not single and not repeated:
        raise UsageError(
            f"{folder} holds no published result tables of AutoExperiment",
            hint="expected results/data/*.csv of its repository, with combined-id and all_correct",
        )
    return single, repeated, [*findings, *_odd(rows)]


def _odd(rows: Sequence[TableRow]) -> list[Finding]:
    """What is odd within each n; the tasks of one n are not missing from another."""
    sizes = sorted({row.task.count(",") for row in rows})
    return [
        finding
        for size in sizes
        for finding in suspicions([_blanked(row) for row in rows if row.task.count(",") == size])
    ]


def _blanked(row: TableRow) -> TableRow:
    return TableRow(row.agent, "", row.values) if row.task == "NULL" else row


def _tables(folder: Path) -> Iterator[tuple[Path, str, list[dict[str, str]]]]:
    """Every table with rows of tasks whose file names a model, with its columns in plain letters."""
    for path in sorted(folder.rglob("*.csv")):
        name = _plain(path.stem)
        model = next((told for key, told in MODELS.items() if key in name), None)
        with path.open(newline="", encoding="utf-8", errors="replace") as stream:
            lines = [
                {_plain(key): value or "" for key, value in line.items() if isinstance(key, str)}
                for line in csv.DictReader(stream)
            ]
        if model and lines and "combinedid" in lines[0] and ("allcorrect" in lines[0] or "run1" in lines[0]):
            yield path, model, lines


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def _passed(text: str) -> bool | None:
    return {"TRUE": True, "FALSE": False}.get(text.strip().upper())


def _runs(line: Mapping[str, str]) -> list[bool]:
    outcomes = [_passed(value) for key, value in line.items() if re.fullmatch(r"run\d+", key)]
    return [outcome for outcome in outcomes if outcome is not None]
