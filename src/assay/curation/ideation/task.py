"""An ideation task: proposals that improve a baseline, each with a prediction; running them decides."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from assay.curation.drafting.instruction import run_seconds
from assay.curation.drafting.model import TaskDraft
from assay.curation.drafting.solution import as_json, injected
from assay.curation.ideation.broken_variants import broken_variants, honest_prediction
from assay.curation.ideation.definitions import CannotBeTaken
from assay.curation.ideation.gains import MeasuredGain
from assay.curation.ideation.problem import problem_text
from assay.curation.ideation.proposal_code import ORACLE, FunctionPair
from assay.curation.labels import label_words
from assay.curation.paper import PaperText
from assay.rules.challenge import WALL_FACTOR
from assay.tasks import AssayTable, SubmissionRules, Task, TaskConfig
from assay.tasks.config import AgentSection, Challenge, EnvironmentSection, Metadata, Package
from assay.tasks.lock import EnvironmentLock

LEAST, MOST = 3, 6
NAMES = [f"p{number}" for number in range(1, MOST + 1)]
BRIER, RANK = 0.2, 0.5
PASSING_SHARE = 0.5
"""The share of the method's gain that the best proposal must reach."""
SAME_SHARE = 0.001
"""Proposals whose numbers differ by less than this share of the method's gain count as one."""
SERVED = ["serve_proposals.py", "call_values.py", "baseline.py", *(f"proposals/{name}.py" for name in NAMES)]
_INSTRUCTION = """# Improve on a baseline, and predict by how much

{problem}

## The baseline

`baseline.py` has the baseline: the function `{function}`. An experiment calls it many times, and measures
{measure}. {direction} is better. The baseline's number is {number:.6g}. You do not get the experiment.

## What to hand in

1. `proposals/p1.py`, `proposals/p2.py` and so on: {least} to {most} proposals. Each file replaces
   `baseline.py`: it defines `{function}` with the same parameters and the same kind of result. It may import
   the standard library and the installed packages, but no file of yours. `serve_proposals.py` shows how
   grading calls it.
2. `predictions.json`, with an entry for each proposal:

       {{"p1": {{"probability": 0.8, "gain": {example:.2g}}},
        "p2": {{"probability": 0.3, "gain": -{example:.2g}}}}}

   `probability`: how likely it is that the proposal is better than the baseline. `gain`: by how much you
   expect it to be better, in the unit of the number; a negative gain is worse.

## How it is scored

Grading runs the experiment with each proposal and with the baseline, over seeds that nobody knows. One run
may take {seconds:.0f} seconds of processor time. The score is the gain of the best proposal. To pass, it
must be at least half of the gain of the paper's own method. It counts if all of these are true:

- At least {least} proposals are different: their numbers differ from each other and from the baseline.
- The Brier score of the probabilities is at most {brier:g}, over all proposals and over those with a
  probability of 0.5 or more. A probability of 0.5 for every proposal has the Brier score 0.25.
- The rank correlation of predicted and measured gains is at least {rank:g}.
"""


def ideation_task(
    draft: TaskDraft,
    document: PaperText,
    pair: FunctionPair,
    proposals: Mapping[str, str],
    measured: MeasuredGain,
    measuring: Mapping[str, bytes],
    lock: EnvironmentLock,
) -> Task:
    """Return the task; `measuring` has the measuring program, `proposals` what `ProposalCode` made."""
    reference = fmean(measured.gains["p1"])
    instruction = _instruction(draft, problem_text(document, draft, pair.method_words), pair, measured)
    baseline = proposals["baseline"]
    _check_leaks(pair, {"baseline.py": baseline, "the instruction": instruction})
    oracle = {name: proposals[name] for name in ORACLE}
    predictions = {name: honest_prediction(measured.gains[name]) for name in ORACLE}
    truth = {
        "number": [measured.metric.row, measured.metric.column],
        "sign": measured.sign,
        "names": NAMES,
        "least": LEAST,
        "brier": BRIER,
        "rank": RANK,
        "smallest": SAME_SHARE * reference,
        "seconds": WALL_FACTOR * run_seconds(draft),
    }
    tests = {
        "evaluate.py": injected("evaluate_ideation.py").encode(),
        "draw.py": injected("draw_seeds.py").encode(),
        "ideation.json": as_json(truth),
        **{f"measure/{path}": data for path, data in measuring.items()},
        **broken_variants(proposals, predictions, measured),
    }
    workspace = {
        "baseline.py": baseline.encode(),
        "serve_proposals.py": injected("serve_proposals.py").encode(),
        "call_values.py": injected("call_values.py").encode(),
    }
    solution = {f"proposals/{name}.py": text.encode() for name, text in oracle.items()}
    return Task(
        config=_config(draft, measured, reference, lock),
        instruction=instruction,
        environment={f"workspace/{path}": data for path, data in workspace.items()},
        solution={
            f"files/{path}": data
            for path, data in {**solution, "predictions.json": as_json(predictions)}.items()
        },
        tests=tests,
    )


def _instruction(draft: TaskDraft, problem: str, pair: FunctionPair, measured: MeasuredGain) -> str:
    metric = measured.metric
    return _INSTRUCTION.format(
        problem=problem,
        function=pair.name,
        measure=f"“{metric.column_label}” ({metric.row_label})",
        direction="A higher number" if measured.sign > 0 else "A lower number",
        number=measured.baseline,
        least=LEAST,
        most=MOST,
        example=abs(measured.baseline) / 10,
        seconds=run_seconds(draft),
        brier=BRIER,
        rank=RANK,
    )


def _check_leaks(pair: FunctionPair, texts: Mapping[str, str]) -> None:
    for place, text in texts.items():
        leaks = pair.method_words & label_words(text)
        if leaks:
            raise CannotBeTaken(f"{place} names the method: {', '.join(sorted(leaks))}")


def _config(draft: TaskDraft, measured: MeasuredGain, reference: float, lock: EnvironmentLock) -> TaskConfig:
    seconds = run_seconds(draft)
    table = AssayTable(
        id=f"{draft.id}-ideation",
        kind="challenge",
        python=lock.python,
        requirements=lock.requirements,
        submission=SubmissionRules(required=["predictions.json"]),
        challenge=Challenge(
            metric=f"gain over the baseline in {measured.metric.column_label}",
            unit="unit of the table",
            direction="higher",
            baseline=0.0,
            reference=reference,
            noise=(1 - PASSING_SHARE) * reference,
            draw="draw.py",
            artefacts=["predictions.json"],
            serve="python serve_proposals.py",
            serve_files=SERVED,
            serve_memory_mb=4096,
            serve_seconds=seconds,
            evaluate_seconds=2 * (MOST + 1) * WALL_FACTOR * seconds,
            checkpoints=0,
        ),
        labels={"origin": "curated", "phase": "ideation", "table": draft.table},
    )
    return TaskConfig(
        task=Package(
            name=f"assay/{draft.id}-ideation", description="Improve on a baseline, and predict by how much"
        ),
        metadata=Metadata(assay=table),
        agent=AgentSection(timeout_sec=3600.0),
        environment=EnvironmentSection(memory_mb=4096),
    )
