"""The conclusion, claim by claim: true of the world, and faithful to the numbers that its own run re-made."""

from __future__ import annotations

from assay.grading.design import as_number, normal
from assay.grading.verdict import Verdict
from assay.tasks import Claim, Conclusion, look_up
from assay.workspace.check_submission import read

Answer = object


def grade_conclusion(
    conclusion: Conclusion, handed_in: bytes | None, results: object | None
) -> list[Verdict]:
    """One verdict for each claim against the truth, and one on all of them against the re-made numbers."""
    stated, problem = read_claims(handed_in)
    if problem is not None:
        items = [f"conclusion.{claim.id}" for claim in conclusion.claim] + ["conclusion.faithful"]
        return [Verdict(item=item, status="unmet", owner="agent", evidence=problem) for item in items]
    verdicts = [_grade(claim, stated) for claim in conclusion.claim]
    return [*verdicts, _faithful(conclusion, stated, results)]


def read_claims(data: bytes | None) -> tuple[dict[str, Answer], str | None]:
    """Claim id → answer as handed in, or what is wrong with it."""
    table, problem = read("conclusion.json", data)
    return ({}, problem) if problem is not None else (table["claims"], None)


def _grade(claim: Claim, stated: dict[str, Answer]) -> Verdict:
    item = f"conclusion.{claim.id}"
    if claim.id not in stated:
        return Verdict(item=item, status="unmet", owner="agent", evidence="the conclusion does not say")
    answer = stated[claim.id]
    evidence = f"says {str(answer)[:120]}, true is {claim.answer}"
    if agrees(claim, answer, claim.answer):
        return Verdict(item=item, status="met", evidence=evidence)
    if claim.kind == "statement":
        return Verdict(
            item=item, status="unknown", owner="grader", evidence="other words, and no judge read them"
        )
    return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)


def _faithful(conclusion: Conclusion, stated: dict[str, Answer], results: object | None) -> Verdict:
    item = "conclusion.faithful"
    if results is None:
        return Verdict(
            item=item, status="unmet", owner="agent", evidence="no numbers were re-made to compare with"
        )
    for claim in conclusion.claim:
        if claim.kind == "statement":
            continue
        if claim.id not in stated:
            return Verdict(item=item, status="unmet", owner="agent", evidence=f"says nothing of {claim.id}")
        try:
            remade = derive(claim, results)
        except KeyError as error:
            return Verdict(item=item, status="unmet", owner="agent", evidence=f"{claim.id}: {error.args[0]}")
        if not agrees(claim, stated[claim.id], remade):
            evidence = f"{claim.id}: says {str(stated[claim.id])[:120]}, its own run gives {remade}"
            return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)
    return Verdict(item=item, status="met", evidence="every claim follows from the re-made numbers")


def agrees(claim: Claim, stated: Answer, expected: Answer) -> bool:
    """Whether a stated answer is the expected one, by the claim's kind."""
    if claim.kind == "magnitude":
        said, true = as_number(stated), as_number(expected)
        return said is not None and true is not None and abs(said - true) <= claim.tolerance
    if claim.kind == "ordering":
        if not isinstance(stated, list) or not isinstance(expected, list):
            return False
        return [normal(str(each)) for each in stated] == [normal(str(each)) for each in expected]
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
