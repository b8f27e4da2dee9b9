"""Experiments phase by phase as a table: each measure with every denominator, beside what was published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.reporting.decided_table import DECIDED_NOTE, decided_table, undecided_lines
from assay.reporting.experiment_summary import truth_lines
from assay.reporting.ladder_table import LADDER_NOTE, ladder_table
from assay.reporting.phase_words import (
    LETTERS_NOTE,
    SHARES,
    agent_label,
    credit_range,
    shown_cards,
    unknown_items,
)
from assay.reporting.printed_table import PrintedTable
from assay.reporting.wording import percent, rate_text
from assay.scoring import Attempt, Method, Rate
from assay.scoring.published.totals import Published, published
from assay.scoring.scorecards.partial_credit import Credit
from assay.scoring.scorecards.phase_items import items_asked
from assay.scoring.scorecards.phase_ladder import STEPS
from assay.scoring.scorecards.phases import (
    DENOMINATORS,
    EXECUTED,
    MEASURES,
    THRESHOLD,
    Measure,
    PhaseCard,
    phase_cards,
)

HEADINGS = ("measure", "of all attempts, [95%]", "at least–most", "as EXP-Bench divides", "partial credit")


def phase_listing(
    attempts: Sequence[Attempt], *, by: str | None = None, method: Method = "wilson"
) -> PrintedTable:
    """The table of the measured agents, the oracle and the idle agent, or of all where none is measured."""
    cards = shown_cards(phase_cards(attempts, by=by, asked_items=items_asked(attempts), method=method))
    cited = published("expbench")
    has_truth = any(card.truth for card in cards)
    head = ["agent", *([by] if by else []), *HEADINGS, *(["of verified tasks"] if has_truth else [])]
    return PrintedTable(
        headings=[*head, "published"],
        rows=[row for card in cards for row in _rows(card, cards, cited, has_truth=has_truth)],
        numbers=[row for card in cards for row in _numbers(card)],
        shape={
            "table": "phases",
            "by": by,
            "interval": method,
            "threshold": THRESHOLD,
            "denominators": DENOMINATORS,
            "cards": [card.model_dump(mode="json") for card in cards],
            "published": [number.model_dump(mode="json") for number in cited],
        },
        notes=_notes(cards),
        other_tables=[ladder_table(cards, cited), decided_table(cards), published_table(cited)]
        if cards
        else [],
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
    """Partial credit in one line: the share of items or its range, its interval, its denominator."""
    if credit.mean is None:
        return "–"
    text = credit_range(credit)
    if credit.low is not None:
        text += f" [{percent(credit.low)}, {percent(credit.high)}]"
    unknown = unknown_items(credit)
    return f"{text} over {credit.attempts}" + (f", {unknown}" if unknown else "")


def published_way(name: str, measure: Measure, credit: Credit | None) -> str:
    """The measure as EXP-Bench counts it, with the name of its denominator."""
    if measure.judged is not None:
        return f"{rate_text(measure.judged)} of judged" if measure.judged.attempts else "none judged"
    if measure.executed is not None:
        return f"{rate_text(measure.executed)} of executed" if measure.executed.attempts else "none executed"
    if name in SHARES and credit is not None:
        if credit.mean_judged is None:
            return "none judged"
        return f"{percent(credit.mean_judged)}% of items, mean of {credit.judged} judged"
    return ""


def _rows(
    card: PhaseCard, cards: Sequence[PhaseCard], cited: Sequence[Published], *, has_truth: bool
) -> Iterator[list[str]]:
    measures_asked = {name: measure for name, measure in card.measures.items() if measure.rate.attempts}
    for place, (name, measure) in enumerate(measures_asked.items()):
        lead = [agent_label(card, cards) if place == 0 else ""]
        lead += [card.value if place == 0 else ""] if card.value is not None else []
        published_values = published_range(name, cited)
        credit = card.credit.get(name)
        yield [
            *lead,
            f"{name} ({measure.needs})" if name != measure.needs else name,
            _plain(measure.rate),
            _bounds(measure.rate),
            published_way(name, measure, credit),
            credit_text(credit) if credit is not None else "",
            *([rate_text(measure.verified)] if has_truth else []),
            f"{published_values[0] * 100:.1f}–{published_values[1] * 100:.1f}%" if published_values else "",
        ]


def _plain(rate: Rate) -> str:
    return f"{rate.passed}/{rate.attempts} {percent(rate.rate)}% [{percent(rate.low)}, {percent(rate.high)}]"


def _bounds(rate: Rate) -> str:
    if not rate.unknown:
        return ""
    return f"{percent(rate.bound_low)}–{percent(rate.bound_high)}% ({rate.unknown} unknown)"


def _numbers(card: PhaseCard) -> Iterator[dict[str, object]]:
    lead: dict[str, object] = {"suite": card.suite, "agent": card.agent, "model": card.model}
    lead |= {"role": card.role, "label": card.label or "", "value": card.value or ""}
    no_credit = {f"credit_{key}": None for key in Credit.model_fields}
    for name, measure in card.measures.items():
        rates = {
            "all": measure.rate,
            "judged": measure.judged,
            "executed": measure.executed,
            "verified": measure.verified,
        }
        for denominator, rate in rates.items():
            if rate is None:
                continue
            has_credit = name in STEPS and denominator == "all"
            credit = {f"credit_{key}": value for key, value in card.credit[name]} if has_credit else no_credit
            yield {
                **lead,
                "measure": name,
                "needs": measure.needs,
                "over": denominator,
                **dict(rate),
                **credit,
            }
    for rung, rate in card.ladder.items():
        yield {**lead, "measure": "ladder", "needs": rung, "over": "all", **dict(rate), **no_credit}


def _notes(cards: Sequence[PhaseCard]) -> list[str]:
    if not cards:
        return ["no experiment was attempted in these logs, so there are no phases to show."]
    return [
        f"{LETTERS_NOTE} Measures that no task asks for are left out.",
        f"{THRESHOLD}.",
        f"of all attempts: divided by {DENOMINATORS['attempts']}. at least–most: if every unknown attempt had"
        " failed, or passed.",
        f"as EXP-Bench divides: judged = {DENOMINATORS['judged']}. executed = {DENOMINATORS['executed']}.",
        "partial credit: the mean share of a phase's items that are met, over how many attempts; unknown"
        " items stay in the denominator, so they make it a range.",
        *truth_lines(cards),
        LADDER_NOTE,
        DECIDED_NOTE,
        *undecided_lines(cards),
        "published: lowest to highest of EXP-Bench's agents (arXiv 2505.24785, Table 1), on other tasks, not"
        f" measured here; compare its C, All✓, {', '.join(EXECUTED)} with `as EXP-Bench divides`, and its"
        f" {' and '.join(SHARES)}, too, which are shares of items. Where its monitor flagged an attempt, it"
        " set D, I and C to zero; here M is a measure of its own.",
    ]
