"""Which kinds of sandbox attempts ran in: rates that add up several kinds say so."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from assay.scoring.logs.attempts import NOT_RECORDED, Attempt
from assay.scoring.logs.findings import Finding


def sandbox_counts(attempts: Iterable[Attempt]) -> dict[str, int]:
    """Kind of sandbox → how many attempts were made in it, the most frequent first."""
    kinds = (attempt.sandbox for attempt in attempts if attempt.verdicts or attempt.machine)
    return dict(sorted(Counter(kinds).items(), key=lambda entry: (-entry[1], entry[0])))


def counts_text(counts: Mapping[str, int]) -> str:
    """The counts in words: `12 in bubblewrap, 2 not recorded`."""
    return ", ".join(
        f"{count} {kind}" if kind == NOT_RECORDED else f"{count} in {kind}" for kind, count in counts.items()
    )


def mixed_sandboxes(attempts: Iterable[Attempt]) -> Iterator[Finding]:
    """One finding for each suite whose attempts ran in several kinds of sandbox, agent by agent."""
    suites: dict[str, dict[tuple[str, str], list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    for attempt in attempts:
        suites[attempt.suite][attempt.agent, attempt.model].append(attempt)
    for suite, agents in sorted(suites.items()):
        counts = {agent: sandbox_counts(group) for agent, group in agents.items()}
        kinds = {kind for by_kind in counts.values() for kind in by_kind}
        if len(kinds) < 2:
            continue
        parts = [
            f"{_name(*agent)} {counts_text(by_kind)}" for agent, by_kind in sorted(counts.items()) if by_kind
        ]
        message = f"attempts in different kinds of sandbox are added up or compared: {'; '.join(parts)}"
        yield Finding(log=suite, what=message)


def _name(agent: str, model: str) -> str:
    return agent if model == "none" else f"{agent} ({model})"
