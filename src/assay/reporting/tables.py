"""The scorecard as Markdown, CSV and JSON; `terminal.py` has the table for a terminal."""

from __future__ import annotations

import csv as csv_writer
import io
import json as json_writer
from collections import Counter
from collections.abc import Sequence

from assay.reporting.wording import METHODS, money_text, percent, rate_text, time_text, tokens_text
from assay.scoring import AgentCard, KindCard, Rate, Scorecard, SuiteCard
from assay.scoring.logs.sandbox_kinds import counts_text
from assay.scoring.scorecards.phases import TRUTH_LABEL, VERIFIED
from assay.tasks.kinds import KINDS

_RATE_COLUMNS = [name for name in Rate.model_fields if name != "missing"]


def kinds_in(card: Scorecard) -> list[str]:
    """The kinds that were attempted, in their usual order."""
    kinds = {kind for agent in card.agents for suite in agent.suites for kind in suite.kinds}
    return [kind for kind in KINDS if kind in kinds] + sorted(kinds - set(KINDS))


def labels_in(card: Scorecard) -> list[str]:
    """What tasks are labelled with: type, category, …"""
    return sorted({label for agent in card.agents for suite in agent.suites for label in suite.labels})


def headings(card: Scorecard) -> list[str]:
    """The columns of the table that people read."""
    return ["suite", "agent", "model", "all", *kinds_in(card), "tokens", "cost", "time"]


def rows(card: Scorecard) -> list[list[str]]:
    """One row for each agent, model and suite, in words."""
    return [_row(agent, suite, kinds_in(card)) for agent in card.agents for suite in agent.suites]


def _row(agent: AgentCard, suite: SuiteCard, kinds: list[str]) -> list[str]:
    return [
        suite.suite,
        agent.agent,
        "–" if agent.model == "none" else agent.model,
        rate_text(suite),
        *(rate_text(suite.kinds.get(kind)) for kind in kinds),
        tokens_text(suite.tokens),
        money_text(suite.cost),
        time_text(suite.seconds or None),
    ]


def notes(card: Scorecard) -> list[str]:
    """What a reader of the table must know: how to read it, what is certified, what is wrong."""
    lines = [
        f"passed/attempts, rate, [95% interval, {METHODS[card.interval]}];"
        " what is unknown counts as an attempt that did not pass."
    ]
    suites = {suite.suite: suite for agent in card.agents for suite in agent.suites if suite.tasks}
    for name in sorted(suites):
        widest = max(
            (suite for agent in card.agents for suite in agent.suites if suite.suite == name),
            key=lambda suite: suite.tasks,
        )
        lines.append(f"{name}: {widest.certified} of {widest.tasks} tasks are certified.")
    lines += sandbox_lines(card)
    lines += [f"{agent.agent}: {agent.description}" for agent in card.agents if agent.recorded]
    for agent in card.agents:
        for suite in agent.suites if agent.role == "agent" else []:
            lines += [clustered_text(agent, suite)] if by_paper(suite) else []
            lines += [repeats_text(agent, suite)] if suite.repeats else []
            lines += [truth_text(agent, suite)] if TRUTH_LABEL in suite.labels else []
    lines += [
        gpu_text(agent, suite)
        for agent in card.agents
        for suite in agent.suites
        if suite.gpu_hours is not None
    ]
    labels = labels_in(card)
    lines += [f"tasks are labelled with {', '.join(labels)}: --by splits the scores."] if labels else []
    lines += [f"NOT AS EXPECTED: {surprise}" for surprise in surprises(card)]
    lines += [f"note: {finding.log}: {finding.what}" for finding in card.findings]
    return lines


def sandbox_lines(card: Scorecard) -> list[str]:
    """For each suite the kinds of sandbox in which all agents worked."""
    counts: dict[str, Counter[str]] = {}
    for agent in card.agents:
        for suite in agent.suites:
            counts.setdefault(suite.suite, Counter()).update(suite.sandboxes)
    return [
        f"{name}: sandboxes of the attempts: {counts_text(dict(by_kind.most_common()))}."
        for name, by_kind in sorted(counts.items())
        if by_kind
    ]


def gpu_text(agent: AgentCard, suite: SuiteCard) -> str:
    """What attempts and grading used of GPUs."""
    peak = "unknown" if suite.gpu_peak_mb is None else f"{suite.gpu_peak_mb:,.0f} MB"
    return f"{_who(agent)} on {suite.suite}: {suite.gpu_hours:.3f} GPU hours, peak of GPU memory {peak}."


def by_paper(suite: SuiteCard) -> bool:
    """Whether attempts fall into fewer papers than there are attempts."""
    return suite.clustered is not None and suite.clustered.clusters < suite.attempts


def repeats_text(agent: AgentCard, suite: SuiteCard) -> str:
    """pass@k and pass^k, with the tasks below the line and those for which they are undefined."""
    parts = []
    for repeat in suite.repeats[:1] + suite.repeats[-1:]:
        undefined = f", {repeat.undefined} with fewer scored" if repeat.undefined else ""
        if repeat.pass_at is None:
            parts.append(
                f"pass@{repeat.k}, pass^{repeat.k} undefined: no task has {repeat.k} scored attempts"
            )
            continue
        parts.append(
            f"pass@{repeat.k} {percent(repeat.pass_at)}%, pass^{repeat.k} {percent(repeat.pass_all)}%"
            f" (over {repeat.tasks} tasks{undefined})"
        )
    return f"{_who(agent)} on {suite.suite}: {'; '.join(parts)}"


def clustered_text(agent: AgentCard, suite: SuiteCard) -> str:
    """The interval that allows for tasks of one paper standing or falling together."""
    clustered = suite.clustered
    assert clustered is not None
    bounds = f"[{percent(clustered.low)}, {percent(clustered.high)}]"
    interval = {
        "percentile": f"{bounds} by bootstrap (percentile)",
        "no-spread": f"{bounds} by Wilson over papers, which are all alike",
        "undefined": "no interval: one paper cannot say how papers differ",
    }[clustered.method]
    rate = f"{suite.passed}/{suite.attempts} {percent(suite.rate)}%"
    return f"{_who(agent)} on {suite.suite}, clustered by paper ({clustered.clusters}): {rate} {interval}"


def truth_text(agent: AgentCard, suite: SuiteCard) -> str:
    """The rate with and without the tasks whose published outcome no run confirmed."""
    rates = suite.labels[TRUTH_LABEL]
    unconfirmed = [f"{rate.attempts} {word}" for word, rate in rates.items() if word != VERIFIED]
    left_out = f" (left out: {', '.join(unconfirmed)})" if unconfirmed else ""
    rates_text = (
        f"all tasks {rate_text(suite)}; verified tasks alone {rate_text(rates.get(VERIFIED))}{left_out}"
    )
    return f"{_who(agent)} on {suite.suite}: {rates_text}"


def _who(agent: AgentCard) -> str:
    return agent.agent if agent.model == "none" else f"{agent.agent} ({agent.model})"


def surprises(card: Scorecard) -> list[str]:
    """Agents of known worth that did not score what they must."""
    expectations = {"cheat": "must never pass", "honest": "must always pass"}
    lines = []
    for agent in card.agents:
        if agent.as_expected is False:
            must = expectations.get(
                agent.role, "must always pass" if agent.agent == "oracle" else "must never pass"
            )
            lines += [f"{agent.agent} {must}: {rate_text(suite)} on {suite.suite}" for suite in agent.suites]
    return lines


def markdown(card: Scorecard) -> str:
    """The same table as Markdown, with its notes."""
    table = markdown_table([headings(card), *rows(card)])
    return table + "\n" + "\n".join(f"- {markdown_cell(note)}" for note in notes(card)) + "\n"


def markdown_table(lines: Sequence[Sequence[str]]) -> str:
    """Rows of text as a Markdown table; the first holds the headings."""
    ruled = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "".join("| " + " | ".join(markdown_cell(cell) for cell in line) + " |\n" for line in ruled)


def markdown_cell(text: str) -> str:
    """Text that a cell of a Markdown table can hold."""
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(escaped.splitlines())


def csv(card: Scorecard) -> str:
    """Plain numbers, one row for each agent, model, suite and kind; kind `all` is the whole suite."""
    target = io.StringIO()
    writer = csv_writer.writer(target, lineterminator="\n")
    writer.writerow(["agent", "model", "role", "suite", "kind", *_RATE_COLUMNS, "normalised", "missing"])
    for agent in card.agents:
        for suite in agent.suites:
            parts: dict[str, Rate] = {"all": suite, **suite.kinds}
            for kind, rate in parts.items():
                cells = [agent.agent, agent.model, agent.role, suite.suite, kind, *_numbers(rate)]
                writer.writerow([csv_cell(cell) for cell in cells])
    return target.getvalue()


def csv_cell(value: object) -> object:
    """A value that a spreadsheet does not run: text that begins like a formula gets an apostrophe."""
    risky = isinstance(value, str) and value.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    return f"'{value}" if risky else value


def _numbers(rate: Rate) -> list[object]:
    missing = " ".join(f"{owner}={count}" for owner, count in rate.missing.items())
    normalised = rate.normalised if isinstance(rate, KindCard) else None
    return [*(getattr(rate, name) for name in _RATE_COLUMNS), normalised, missing]


def json(card: Scorecard) -> str:
    """The documented shape of docs/json.md."""
    return json_writer.dumps(card.to_json(), indent=2, allow_nan=False) + "\n"
