"""Experiments phase by phase as a table: each measure with both denominators, beside what was published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.reporting.printed_table import PrintedTable
from assay.reporting.wording import percent, rate_text
from assay.scoring import Attempt, Method, Rate
from assay.scoring.published.totals import Published, published
from assay.scoring.scorecards.partial_credit import Credit
from assay.scoring.scorecards.phase_ladder import STEPS
from assay.scoring.scorecards.phases import (
    EXECUTED,
    MEASURES,
    THRESHOLD,
    PhaseCard,
    phase_cards,
    phases_asked,
)

HEADINGS = ("measure", "met, [95%]", "at least–most", "over executed", "partial credit", "published")

NAMES = {
    "D": "design",
    "I": "implementation",
    "E": "execution",
    "C": "conclusion",
    "M": "integrity",
    "R": "recomputed numbers",
}
"""What the letters stand for."""

SHARES = ("D", "I")
"""Measures that EXP-Bench states as a mean share of items, not as a strict rate."""


def phase_listing(
    attempts: Sequence[Attempt], *, by: str | None = None, method: Method = "wilson"
) -> PrintedTable:
    """The table of the measured agents, or of all agents where none is measured."""
    measured = [attempt for attempt in attempts if attempt.role == "agent"] or attempts
    cards = phase_cards(measured, by=by, asked_phases=phases_asked(attempts), method=method)
    cited = published("expbench")
    head = ("agent", *((by,) if by else ()), *HEADINGS)
    return PrintedTable(
        headings=head,
        rows=[row for card in cards for row in _rows(card, cited)],
        numbers=[row for card in cards for row in _numbers(card)],
        shape={
            "table": "phases",
            "by": by,
            "interval": method,
            "threshold": THRESHOLD,
            "cards": [card.model_dump(mode="json") for card in cards],
            "published": [number.model_dump(mode="json") for number in cited],
        },
        notes=_notes(cards),
        second_table=published_table(cited) if cards else (),
    )


def published_table(cited: Sequence[Published]) -> list[list[str]]:
    """What EXP-Bench published for each agent, in percent."""
    measures = [
        name for name in MEASURES if any(number.measure == name and number.agent != "all" for number in cited)
    ]
    paper_agents = list(
        dict.fromkeys((number.agent, number.model) for number in cited if number.measure in measures)
    )
    values_by_measure = {(number.agent, number.model, number.measure): number for number in cited}
    lines = [["published, not measured here", *measures, "executed"]]
    for agent, model in paper_agents:
        if agent == "all":
            continue
        values = [values_by_measure.get((agent, model, name)) for name in measures]
        run = values_by_measure.get((agent, model, "E"))
        lines.append(
            [
                f"{agent}, {model}",
                *("–" if number is None else f"{number.value * 100:.1f}" for number in values),
                str(run.denominator) if run and run.denominator else "–",
            ]
        )
    return lines


def published_range(measure: str, cited: Sequence[Published]) -> tuple[float, float] | None:
    """The lowest and the highest published value of a measure over the paper's agents."""
    values = [number.value for number in cited if number.measure == measure and number.agent != "all"]
    return (min(values), max(values)) if values else None


def credit_text(credit: Credit) -> str:
    """Partial credit in one line: the mean share of items, its interval, its denominator."""
    if credit.mean is None:
        return "–"
    text = f"{percent(credit.mean)}%"
    if credit.low is not None:
        text += f" [{percent(credit.low)}, {percent(credit.high)}]"
    total = f" of {credit.attempts}" if credit.known < credit.attempts else ""
    return f"{text} over {credit.known}{total}"


def _rows(card: PhaseCard, cited: Sequence[Published]) -> Iterator[list[str]]:
    agent_name = card.agent if card.model == "none" else f"{card.agent} ({card.model})"
    measures_asked = {name: measure for name, measure in card.measures.items() if measure.rate.attempts}
    for place, (name, measure) in enumerate(measures_asked.items()):
        lead = [agent_name if place == 0 else ""]
        lead += [card.value if place == 0 else ""] if card.value is not None else []
        published_values = published_range(name, cited)
        run = measure.executed
        yield [
            *lead,
            f"{name} ({measure.needs})" if name != measure.needs else name,
            _plain(measure.rate),
            _bounds(measure.rate),
            "" if run is None else rate_text(run),
            credit_text(card.credit[name]) if name in STEPS else "",
            f"{published_values[0] * 100:.1f}–{published_values[1] * 100:.1f}%" if published_values else "",
        ]


def _plain(rate: Rate) -> str:
    return f"{rate.passed}/{rate.attempts} {percent(rate.rate)}% [{percent(rate.low)}, {percent(rate.high)}]"


def _bounds(rate: Rate) -> str:
    if not rate.unknown:
        return ""
    return f"{percent(rate.bound_low)}–{percent(rate.bound_high)}% ({rate.unknown} unknown)"


def _numbers(card: PhaseCard) -> Iterator[dict[str, object]]:
    lead = {"suite": card.suite, "agent": card.agent, "model": card.model}
    lead |= {"label": card.label or "", "value": card.value or ""}
    for name, measure in card.measures.items():
        for denominator, rate in (("all", measure.rate), ("executed", measure.executed)):
            if rate is None:
                continue
            credit = card.credit[name] if name in STEPS and denominator == "all" else None
            yield {
                **lead,
                "measure": name,
                "needs": measure.needs,
                "over": denominator,
                **dict(rate),
                **{f"credit_{key}": getattr(credit, key, None) for key in Credit.model_fields},
            }


def _notes(cards: Sequence[PhaseCard]) -> list[str]:
    if not cards:
        return ["no experiment was attempted in these logs, so there are no phases to show."]
    letters = ", ".join(f"{letter} {NAMES[letter]}" for letter in NAMES)
    return [
        f"{letters}; x·y: both are met. Measures that no task asks for are left out.",
        f"{THRESHOLD}.",
        "met: what is unknown counts as an attempt that is not; at least–most: had every unknown failed, or"
        " passed. partial credit: the mean share of a phase's items that are met, over how many attempts.",
        "published: lowest to highest of EXP-Bench's agents (arXiv 2505.24785, Table 1), on other tasks, not"
        f" measured here; hold its {' and '.join(SHARES)} against partial credit, and its"
        f" {', '.join(EXECUTED)} against `over executed`. Where its monitor flagged an attempt, it set D, I"
        " and C to nothing; here M is a measure of its own.",
    ]
