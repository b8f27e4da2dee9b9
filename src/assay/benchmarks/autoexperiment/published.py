"""Computes AutoExperiment's published numbers again, from its published rows where there are rows.

A table is recognised by its columns: `combined-id` and `all_correct` contain one attempt per task, `run1` and
so on several. The file's name gives the model, and the id gives n. The rows have no licence and do not ship.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from assay.benchmarks.source_folders import read_file
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
    """From the rows or, without rows, from the published share and its denominator."""
    from_rows: bool
    agrees: bool | None
    """None if one of the two is missing."""


class RepeatedRuns(Strict):
    """The outcomes of one model with several attempts at each task."""

    model: str
    tasks: int
    attempts: int
    """Attempts with an outcome."""
    repeats: list[Repeats]
    published: dict[str, float]
    """What the paper reports, over all tasks; only some of them have rows."""


class PairOfModels(Strict):
    """Two models on the same tasks."""

    n: int
    first: str
    second: str
    tasks: int
    """Tasks for which both models have an outcome."""
    first_only: int
    second_only: int
    p: float
    """McNemar, exact, two-sided."""
    holm: float


class PublishedRows(Strict):
    """All recomputed numbers, and what is odd about the rows."""

    rates: list[PassRate]
    repeated: list[RepeatedRuns]
    pairs: list[PairOfModels]
    findings: list[Finding]


Outcomes = dict[str, bool | None]
"""Task → whether it passed; None for a row without an outcome."""


def recompute_autoexperiment(folder: Path | None) -> PublishedRows:
    """Compare the published numbers with the rows below a folder; without a folder, use the totals only."""
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
    rates = []
    for model, n in sorted({*single, *stated}, key=lambda key: (key[1], key[0])):
        total = stated.get((model, n))
        outcomes = single.get((model, n))
        rate = None
        if outcomes is not None:
            passed, blank = (
                sum(outcome is counted for outcome in outcomes.values()) for counted in (True, None)
            )
            rate = make_rate(passed, len(outcomes), {"grader": blank} if blank else None)
        elif total is not None and total.denominator:
            rate = make_rate(round(total.value * total.denominator), total.denominator)
        agrees = None
        if rate is not None and rate.rate is not None and total is not None:
            agrees = abs(rate.rate - total.value) <= NEAR
        rates.append(
            PassRate(
                model=model,
                n=n,
                published=total.value if total else None,
                rate=rate,
                from_rows=outcomes is not None,
                agrees=agrees,
            )
        )
    return rates


def _repeated(model: str, runs: Mapping[str, list[bool]], cited: Sequence[Published]) -> RepeatedRuns:
    counts = [(len(outcomes), sum(outcomes)) for outcomes in runs.values()]
    most = max(scored for scored, _ in counts)
    repeats = []
    for k in range(1, most + 1):
        with_k_runs = [(scored, passed) for scored, passed in counts if scored >= k]
        repeats.append(
            Repeats(
                k=k,
                pass_at=_mean([pass_at_k(scored, passed, k) for scored, passed in with_k_runs]),
                pass_all=_mean([pass_all_k(scored, passed, k) for scored, passed in with_k_runs]),
                tasks=len(with_k_runs),
                undefined=len(counts) - len(with_k_runs),
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
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _pairs(single: Mapping[tuple[str, int], Outcomes]) -> list[PairOfModels]:
    pairs: list[PairOfModels] = []
    for n in sorted({n for _, n in single}):
        models = sorted(model for model, size in single if size == n)
        for first, second in combinations(models, 2):
            first_outcomes, second_outcomes = single[first, n], single[second, n]
            outcome_pairs = [
                (first_outcomes[task], second_outcomes[task])
                for task in first_outcomes
                if task in second_outcomes
            ]
            shared = [pair for pair in outcome_pairs if None not in pair]
            first_only, second_only = shared.count((True, False)), shared.count((False, True))
            pairs.append(
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
    holm, _ = corrected(tuple(pair.p for pair in pairs))
    return [pair.model_copy(update={"holm": value}) for pair, value in zip(pairs, holm, strict=True)]


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
            new_sizes = [n for n in by_n if (model, n) not in single]
            single |= {(model, n): by_n[n] for n in new_sizes}
            if len(new_sizes) < len(by_n):
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
            f"{folder} contains no published result tables of AutoExperiment",
            hint="expected results/data/*.csv of its repository, with combined-id and all_correct",
        )
    return single, repeated, [*findings, *_odd(rows)]


def _odd(rows: Sequence[TableRow]) -> list[Finding]:
    """Return what is odd within each n; each n has its own tasks, so none are missing from another n."""
    sizes = sorted({row.task.count(",") for row in rows})
    return [
        finding
        for size in sizes
        for finding in suspicions([_blanked(row) for row in rows if row.task.count(",") == size])
    ]


def _blanked(row: TableRow) -> TableRow:
    return TableRow(row.agent, "", row.values) if row.task == "NULL" else row


def _tables(folder: Path) -> Iterator[tuple[Path, str, list[dict[str, str]]]]:
    """Yield every table of task rows whose file name contains a model; column names become plain letters."""
    for path in sorted(folder.rglob("*.csv")):
        name = _plain(path.stem)
        model = next((title for key, title in MODELS.items() if key in name), None)
        text = read_file(path, folder).decode(errors="replace")
        lines = [
            {_plain(key): value or "" for key, value in line.items() if isinstance(key, str)}
            for line in csv.DictReader(io.StringIO(text, newline=""))
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
