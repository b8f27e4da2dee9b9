"""The conclusion, claim by claim: true of the world, and faithful to the numbers that its own run re-made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.grading.cited import Cited, cited_numbers
from assay.grading.remade import Numbers
from assay.grading.values import as_number, normal, text_of
from assay.grading.verdict import UNREAD, Owner, Status, Verdict
from assay.tasks import Claim, Conclusion, look_up
from assay.workspace.check_submission import read

Answer = object
ITEM = "conclusion.faithful"
LONGEST_SHOWN = 120
LOOSE_SUMMARY = 0.5
"""Share of its numbers that a summary may take from elsewhere (a level of chance, a spread) where the claims
themselves were compared one by one; beyond that it describes another run."""
MOST_CITED = 500
"""Numbers of one text that are looked up."""


def grade_conclusion(
    conclusion: Conclusion,
    handed_in: bytes | None,
    results: object | None,
    known: Iterable[float] = (),
    noise: Mapping[str, float] | None = None,
    settings: Iterable[float] = (),
) -> list[Verdict]:
    """One verdict for each claim against the truth, and one on all of them against the re-made numbers.

    `known` are numbers that a text may cite without having measured them: those of the question and of the
    design. `noise` is how far the number at a path may move from run to run. `settings` are numbers of the
    submission's own design and code: as settings and counts they need no measurement.
    """
    stated, summary, problem = read_claims(handed_in)
    if problem is not None:
        items = [f"conclusion.{claim.id}" for claim in conclusion.claim] + [ITEM]
        return [Verdict(item=item, status="unmet", owner="agent", evidence=problem) for item in items]
    verdicts = [_grade(claim, stated, summary) for claim in conclusion.claim]
    said = [said_of(claim, stated, summary) for claim in conclusion.claim if claim.kind == "statement"]
    faithful = _faithful(conclusion, stated, results)
    if faithful.status == "met" and (said or summary.strip()):
        may_miss = 0.0 if said else LOOSE_SUMMARY
        faithful = _founded("\n".join([*said, summary]), results, known, noise, frozenset(settings), may_miss)
        copied = {normal(each) for each in (*said, summary) if each.strip()}
        if faithful.status == "unmet" and copied <= {normal(str(claim.answer)) for claim in conclusion.claim}:
            # The oracle's case: the truth's numbers are of its authors' run, which need not be this one.
            faithful = Verdict(
                item=ITEM,
                status="unknown",
                owner="task",
                evidence=f"the truth's own words: {faithful.evidence}",
            )
    return [*verdicts, faithful]


def read_claims(data: bytes | None) -> tuple[dict[str, Answer], str, str | None]:
    """Claim id → answer as handed in, the summary, and what is wrong with it, if anything."""
    table, problem = read("conclusion.json", data)
    if problem is not None:
        return {}, "", problem
    summary = table.get("summary", "")
    return table["claims"], summary if isinstance(summary, str) else text_of(summary), None


def said_of(claim: Claim, stated: Mapping[str, Answer], summary: str) -> str:
    """What the conclusion says of a statement: its answer, else the summary."""
    return text_of(stated[claim.id]) if claim.id in stated else summary


def _grade(claim: Claim, stated: dict[str, Answer], summary: str) -> Verdict:
    item = f"conclusion.{claim.id}"
    if claim.kind == "statement":
        return _grade_statement(claim, said_of(claim, stated, summary))
    if claim.id not in stated:
        return Verdict(item=item, status="unmet", owner="agent", evidence="the conclusion does not say")
    answer = stated[claim.id]
    if again := [name for name in stated if name != claim.id and normal(name) == normal(claim.id)]:
        return Verdict(item=item, status="unmet", owner="agent", evidence=f"answers it again as {again[0]!r}")
    evidence = f"says {text_of(answer)[:LONGEST_SHOWN]}, true is {claim.answer}"
    if agrees(claim, answer, claim.answer):
        return Verdict(item=item, status="met", evidence=evidence)
    return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)


def _grade_statement(claim: Claim, said: str) -> Verdict:
    item = f"conclusion.{claim.id}"
    if not said.strip():
        return Verdict(item=item, status="unmet", owner="agent", evidence="the conclusion does not say")
    if normal(said) == normal(str(claim.answer)):
        return Verdict(item=item, status="met", evidence="the truth's own words")
    return Verdict(
        item=item, status="unknown", owner="grader", evidence=f"other words, and {UNREAD}", by="judge"
    )


def _faithful(conclusion: Conclusion, stated: dict[str, Answer], results: object | None) -> Verdict:
    if results is None:
        return _verdict("unmet", "no numbers were re-made to compare with")
    for claim in conclusion.claim:
        if claim.kind == "statement":
            continue
        if claim.id not in stated:
            return _verdict("unmet", f"says nothing of {claim.id}")
        try:
            remade = derive(claim, results)
        except KeyError as error:
            return _verdict("unmet", f"{claim.id}: {error.args[0]}")
        if not agrees(claim, stated[claim.id], remade):
            shown = text_of(stated[claim.id])[:LONGEST_SHOWN]
            return _verdict("unmet", f"{claim.id}: says {shown}, its own run gives {remade}")
    return _verdict("met", "every claim follows from the re-made numbers")


def _founded(
    text: str,
    results: object,
    known: Iterable[float],
    noise: Mapping[str, float] | None,
    settings: frozenset[float],
    may_miss: float,
) -> Verdict:
    """Whether every number that a text cites, but for a share that it may miss, was re-made."""
    given = set(known)
    cited = [each for each in cited_numbers(text, settings | given) if not given & set(each.values)]
    if not cited:
        return _verdict("met", "the text cites no number of its own")
    if len(cited) > MOST_CITED:
        return _verdict("unmet", f"cites {len(cited)} different numbers, at most {MOST_CITED} are looked up")
    numbers = Numbers(results, noise)
    if numbers.count == 0:
        return _verdict("unmet", f"cites {cited[0].text}, and the re-made results hold no number")
    return _looked_up(cited, numbers, may_miss)


def _looked_up(cited: list[Cited], numbers: Numbers, may_miss: float) -> Verdict:
    found = [(each.text, numbers.find(each)) for each in cited]
    invented = [text for text, place in found if not place.there]
    if may_miss and len(invented) <= may_miss * len(cited):
        return _verdict("met", "every claim follows from the re-made numbers")
    if invented and not numbers.complete:
        return _verdict(
            "unknown", f"cites {invented[0]}, and the results hold too many numbers to look at all"
        )
    if invented:
        shown = ", ".join(invented[:10])
        return _verdict("unmet", f"cites {shown}, which is not among the {numbers.count} re-made numbers")
    if chance := [text for text, place in found if place.by_chance]:
        why = f"the {numbers.count} re-made numbers lie so close that almost any would be found"
        return _verdict("unknown", f"cites {', '.join(chance[:10])}, and {why}")
    return _verdict("met", f"{len(cited)} cited numbers, all among the {numbers.count} re-made ones")


def _verdict(status: Status, evidence: str) -> Verdict:
    owner: Owner | None = None if status == "met" else "agent"
    return Verdict(item=ITEM, status=status, owner=owner, evidence=evidence)


def agrees(claim: Claim, stated: Answer, expected: Answer) -> bool:
    """Whether a stated answer is the expected one, by the claim's kind."""
    if claim.kind == "magnitude":
        said, true = as_number(stated), as_number(expected)
        return said is not None and true is not None and abs(said - true) <= claim.tolerance
    if claim.kind == "ordering":
        if not isinstance(stated, list) or not isinstance(expected, list):
            return False
        return [normal(text_of(each)) for each in stated] == [normal(str(each)) for each in expected]
    return isinstance(stated, str) and normal(stated) == normal(str(expected))


def derive(claim: Claim, results: object) -> Answer:
    """What the numbers of a run say to the claim's question."""
    numbers = [look_up(results, path) for path in claim.paths]
    if claim.kind == "magnitude":
        return numbers[0] - numbers[1] if len(numbers) == 2 else numbers[0]
    if claim.kind == "direction":
        difference = numbers[0] - numbers[1]
        return "same" if abs(difference) <= claim.tolerance else "higher" if difference > 0 else "lower"
    ranked = sorted(zip(numbers, claim.order, strict=True), reverse=claim.best == "higher")
    return [name for _, name in ranked]
