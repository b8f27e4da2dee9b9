"""A literature task: claims and a corpus; the agent names the passage and says supports or refutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.curation.drafting.solution import as_json, injected
from assay.curation.labels import label_words, slug
from assay.curation.literature.claims import LEAST_CLAIMS, LiteratureClaim, make_claims
from assay.curation.literature.corpus import Passage, corpus_files, passages_of
from assay.curation.paper import PaperText
from assay.tasks import AssayTable, SubmissionRules, Task, TaskConfig
from assay.tasks.config import AgentSection, Challenge, EnvironmentSection, Metadata, Package

Answers = Mapping[str, Mapping[str, str]]
_INSTRUCTION = """# Which passage supports or refutes each claim?

`corpus/` holds the text of a paper. Each paragraph and each table begins with its id in square brackets, such
as `[s3.p2]` or `[t1]`. `claims.json` has claims, by name.

For each claim, find the one passage that decides it, and say whether the passage supports or refutes the
claim. A claim about a column is decided by the table with that column, and not by a sentence that repeats it.
The caption of a table belongs to the table. Write `answers.json`:

    {"c1": {"passage": "s3.p2", "verdict": "supports"}, "c2": {"passage": "t1", "verdict": "refutes"}}

`verdict` is `supports` or `refutes`. An answer counts if both the passage and the verdict are right. The
score is the share of claims that count.
"""


def literature_task(paper: PaperText, name: str, digest: str) -> Task | None:
    """Return the task of a paper; None if its text gives too few claims."""
    passages = passages_of(paper)
    claims = make_claims(passages, digest)
    verdicts = Counter(claim.verdict for claim in claims)
    if len(claims) < LEAST_CLAIMS or len(verdicts) < 2 or len({claim.passage for claim in claims}) < 2:
        return None
    names = [f"c{number}" for number in range(1, len(claims) + 1)]
    truth = {
        key: {"passage": claim.passage, "verdict": claim.verdict}
        for key, claim in zip(names, claims, strict=True)
    }
    simple = simple_answers(names, claims, passages)
    tests = {
        "evaluate.py": injected("evaluate_literature.py").encode(),
        "truth.json": as_json(truth),
        **{
            f"broken/{variant}/answers.json": as_json(answers)
            for variant, answers in _broken(truth, simple, passages).items()
        },
    }
    workspace = {
        **corpus_files(passages),
        "claims.json": as_json({key: claim.text for key, claim in zip(names, claims, strict=True)}),
    }
    return Task(
        config=_config(f"{slug(name, 30).replace('_', '-')}-literature", share_right(simple, truth)),
        instruction=_INSTRUCTION,
        environment={f"workspace/{path}": data for path, data in workspace.items()},
        solution={"files/answers.json": as_json(truth)},
        tests=tests,
    )


def simple_answers(
    names: Sequence[str], claims: Sequence[LiteratureClaim], passages: Sequence[Passage]
) -> dict[str, dict[str, str]]:
    """Return what a search by common words gives: the baseline. It cannot tell the verdict."""
    words = {passage.id: label_words(f"{passage.title} {passage.text}") for passage in passages}
    answers = {}
    for name, claim in zip(names, claims, strict=True):
        wanted = label_words(claim.text)
        best = max(passages, key=lambda passage: len(wanted & words[passage.id]))
        answers[name] = {"passage": best.id, "verdict": "supports"}
    return answers


def share_right(answers: Answers, truth: Answers) -> float:
    """Return the share of claims that answers have right."""
    return sum(answers.get(name) == answer for name, answer in truth.items()) / len(truth)


def _broken(truth: Answers, simple: Answers, passages: Sequence[Passage]) -> dict[str, Answers]:
    """Wrong answers that grading must reject."""
    first = next(iter(truth))
    other_passage = next(passage.id for passage in passages if passage.id != truth[first]["passage"])
    return {
        "word-search": simple,
        "always-supports": {name: {**answer, "verdict": "supports"} for name, answer in truth.items()},
        "one-wrong-passage": {**truth, first: {**truth[first], "passage": other_passage}},
        "one-missing": {name: answer for name, answer in truth.items() if name != first},
    }


def _config(task_id: str, baseline: float) -> TaskConfig:
    table = AssayTable(
        id=task_id,
        kind="challenge",
        submission=SubmissionRules(required=["answers.json"]),
        challenge=Challenge(
            metric="claims with the right passage and verdict",
            unit="share right",
            direction="higher",
            baseline=round(baseline, 4),
            reference=1.0,
            artefacts=["answers.json"],
            evaluate_seconds=30.0,
            checkpoints=0,
        ),
        labels={"origin": "curated", "phase": "literature"},
    )
    return TaskConfig(
        task=Package(name=f"assay/{task_id}", description="Find the passages that decide claims of a paper"),
        metadata=Metadata(assay=table),
        agent=AgentSection(timeout_sec=1800.0),
        environment=EnvironmentSection(memory_mb=1024),
    )
