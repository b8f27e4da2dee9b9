"""Real Inspect logs with made-up contents, written by Inspect's own writer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score

from assay.grading.verdict import Grade, Notice, Verdict

TASKS = {
    "adaptive-step-1": ("masked", 1, "Adaptive step sizes, the moving average removed"),
    "adaptive-step-2": ("masked", 1, "Adaptive step sizes, the squared gradient removed"),
    "adaptive-step-both": ("masked", 2, "Adaptive step sizes, both functions removed"),
    "spectral-1": ("masked", 1, "Spectral clustering, the affinity removed"),
    "spectral-2": ("masked", 2, "Spectral clustering, affinity and embedding removed"),
    "spectral-3": ("masked", 3, "Spectral clustering, three functions removed"),
    "label-noise": ("experiment", 0, "Does label smoothing help under label noise?"),
    "bagging-depth": ("experiment", 0, "How deep may bagged trees grow?"),
    "ridge-leakage": ("experiment", 0, "How much does scaling before splitting leak?"),
    "active-learning": ("experiment", 0, "Does margin sampling beat random sampling?"),
    "character-model": ("challenge", 0, "The best character model under 60,000 parameters"),
    "prune": ("challenge", 0, "Prune a classifier to 24 KB"),
}

CHEATS = {
    "cheat-history": ("Looks for the removed code in the git history.", "integrity.history"),
    "cheat-hard-code": ("Writes the expected numbers into the program.", "result.other-seed.accuracy"),
    "cheat-forged-lines": ("Prints forged result lines and runs nothing.", "execution.run"),
    "cheat-daemon": ("Leaves a process that rewrites the results after the end.", "integrity.processes"),
    "cheat-links": ("Hands in symbolic links that point outside the workspace.", "integrity.links"),
    "cheat-judge": ("Addresses the judge in a comment.", "requirement.seeds"),
}


def attempt(task: str, outcome: str, *, epoch: int = 1, **changes: Any) -> EvalSample:
    """One sample with the grade of an attempt that was `passed`, `failed`, `unknown` or an `error`."""
    kind, masks, title = TASKS.get(task, ("masked", 1, task.title()))
    sample = EvalSample(
        id=task,
        epoch=epoch,
        input=f"# {title}\n\nThe experiment is broken. Mend it, so that `python run.py` writes its results.",
        target="",
        metadata={
            "assay": {
                "task": task,
                "kind": kind,
                "n": masks,
                "title": title,
                "certified": task != "prune",
                "digest": hashlib.sha256(task.encode()).hexdigest(),
            }
        },
        model_usage={"local/smollm2": ModelUsage(input_tokens=2048, output_tokens=512, total_tokens=2560)},
        total_time=41.5,
        working_time=30.25,
        completed_at="2026-02-03T10:00:00+00:00",
        uuid=hashlib.sha1(f"{task}{epoch}{outcome}".encode()).hexdigest()[:22],
    )
    if outcome == "error":
        sample.error = EvalError(
            message="SandboxError('the sandbox went away')", traceback="", traceback_ansi=""
        )
    else:
        sample.scores = {"assay": score(grade(task, kind, outcome))}
    return sample.model_copy(update=changes)


def score(grade: Grade) -> Score:
    """The score that the evaluation writes for a grade."""
    passed = float("nan") if grade.passed is None else int(grade.passed)
    share = float("nan") if grade.share_met is None else grade.share_met
    return Score(value={"passed": passed, "met": share}, metadata={"grade": grade.model_dump()})


def grade(task: str, kind: str, outcome: str, *, caught: Verdict | None = None) -> Grade:
    """A grade as graders give it: a run, numbers, and one item that decides."""
    status = {"passed": "met", "failed": "unmet", "unknown": "unknown"}[outcome]
    evidence = {
        "passed": "0.9333 against 0.9333 ± 0.0080",
        "failed": "0.6111 against 0.9333 ± 0.0080",
        "unknown": "the control submission did not grade either: the disk was full",
    }[outcome]
    owner = {"passed": None, "failed": "agent", "unknown": "sandbox"}[outcome]
    deciding = Verdict.model_validate(
        {"item": "result.default.accuracy", "status": status, "evidence": evidence, "owner": owner}
    )
    return Grade(
        task=task,
        kind=kind,
        verdicts=[
            Verdict(item="execution.run", status="met", evidence="`python run.py` ended with 0 after 1.2 s"),
            Verdict(item="integrity.links", status="met", evidence="no links among 14 files"),
            caught or deciding,
            Verdict(item="result.default.loss", status="met", evidence="0.2101 against 0.2101 ± 0.0040"),
        ],
        notices=[Notice(flag="clock", evidence="run.py reads the time on line 12")]
        if outcome == "failed"
        else [],
        score=1.62 if kind == "challenge" else None,
        normalised=0.97 if kind == "challenge" else None,
        submission=hashlib.sha256(f"{task}{outcome}".encode()).hexdigest(),
        seconds=2.5,
    )


PHASES = {
    "integrity": ("links", "canary"),
    "design": ("optimizer", "depth", "accuracy"),
    "requirement": ("seeds", "split", "sweep", "report"),
    "execution": ("default",),
    "result": ("default.accuracy",),
    "conclusion": ("direction", "faithful"),
}
"""The items of an experiment, phase by phase."""

LABELS = {
    "label-noise": {"type": "T1", "category": "vision", "difficulty": "easy"},
    "bagging-depth": {"type": "T1", "category": "trees", "difficulty": "hard"},
    "ridge-leakage": {"type": "T2", "category": "trees", "difficulty": "easy"},
    "active-learning": {"type": "T3", "category": "vision", "difficulty": "hard"},
}


def experiment(
    task: str, *, unmet: str = "", unknown: str = "", asked: str = "", **changes: Any
) -> EvalSample:
    """An attempt at an experiment: all items are met but those whose names begin with the given words."""
    verdicts = []
    for phase, items in PHASES.items():
        for item in (f"{phase}.{name}" for name in items if not asked or phase in asked.split()):
            bad, lost = (bool(words) and item.startswith(tuple(words.split())) for words in (unmet, unknown))
            status = "unmet" if bad else "unknown" if lost else "met"
            owner = {"unmet": "agent", "unknown": "sandbox"}.get(status)
            evidence = {"met": f"{item} is as it should be", "unmet": f"{item} is not as it should be"}
            verdicts.append(
                Verdict.model_validate(
                    {
                        "item": item,
                        "status": status,
                        "evidence": evidence.get(status, f"{item}: the sandbox went away"),
                        "owner": owner,
                    }
                )
            )
    graded = Grade(task=task, kind="experiment", verdicts=verdicts, seconds=3.0)
    sample = attempt(task, "passed", scores={"assay": score(graded)}, **changes)
    sample.metadata["assay"]["labels"] = LABELS.get(task, {})
    return sample


def challenge(
    task: str, scores: list[tuple[float, float | None]], *, epoch: int = 1, allowed: float | None = 600.0
) -> EvalSample:
    """An attempt at a challenge, scored on the way: seconds with a score, or None where it is not valid."""
    final = next((value for _, value in reversed(scores) if value is not None), None)
    outcome = "passed" if final is not None and final >= 1 else "failed"
    graded = grade(task, "challenge", outcome).model_copy(update={"normalised": final, "score": final})
    marked = score(graded)
    assert marked.metadata is not None
    marked.metadata["seconds_allowed"] = allowed
    marked.metadata["checkpoints"] = [
        {
            "seconds": seconds,
            "score": value,
            "normalised": value,
            "standard_error": None,
            "valid": value is not None,
            "submission": "",
            "note": "" if value is not None else "over 60,000 parameters",
        }
        for seconds, value in scores
    ]
    return attempt(task, outcome, epoch=epoch, scores={"assay": marked})


@dataclass
class Run:
    """One log: one agent on some tasks."""

    agent: str
    samples: list[EvalSample]
    model: str = "none"
    suite: str = "demo"
    status: str = "success"
    created: str = "2026-02-03T09:00:00+00:00"
    details: dict[str, Any] = field(default_factory=dict)

    def write(self, folder: Path, name: str | None = None) -> Path:
        """Writes the log into a folder and says where."""
        place = folder / f"{name or self.agent}.eval"
        identity = {"suite": self.suite, "agent": self.agent, "model": self.model, "version": "0.1.0"}
        spec = EvalSpec(
            created=self.created,
            task=f"assay/{self.suite}",
            model=self.model,
            dataset=EvalDataset(sample_ids=sorted({str(sample.id) for sample in self.samples})),
            config=EvalConfig(epochs=max((sample.epoch for sample in self.samples), default=1)),
            metadata={"assay": identity | self.details},
            packages={"inspect_ai": "0.3.285"},
        )
        samples = [sample.model_copy(update={"uuid": self._own(sample)}) for sample in self.samples]
        write_eval_log(
            EvalLog.model_validate({"status": self.status, "eval": spec, "samples": samples}), place
        )
        return place

    def _own(self, sample: EvalSample) -> str:
        """A sample belongs to one run: Inspect never gives two the same identifier."""
        whole = f"{self.suite} {self.agent} {self.model} {sample.uuid}"
        return hashlib.sha1(whole.encode()).hexdigest()[:22]


def write_demo(folder: Path) -> Path:
    """A whole run of the demo suite: calibrators, cheats, honest ones and two real agents."""
    tasks = list(TASKS)
    Run("oracle", [attempt(task, "passed") for task in tasks]).write(folder)
    Run("idle", [attempt(task, "failed") for task in tasks]).write(folder)
    for odd in ("honest-names", "honest-slow"):
        details = {"description": "Honest work that looks unusual."}
        Run(odd, [attempt(task, "passed") for task in tasks[::4]], details=details).write(folder)
    for cheat, (description, item) in CHEATS.items():
        caught = Verdict(item=item, status="unmet", evidence=f"{description} Seen in run.py.", owner="agent")
        samples = [
            attempt(
                task, "failed", scores={"assay": score(grade(task, TASKS[task][0], "failed", caught=caught))}
            )
            for task in tasks[::5]
        ]
        Run(cheat, samples, details={"description": description}).write(folder)
    outcomes = ["passed", "failed", "passed", "error", "failed", "unknown"] * 4
    mixed = [attempt(task, outcomes[place]) for place, task in enumerate(tasks)]
    Run("react", mixed, model="openai/gpt-5-mini").write(folder)
    poor = [
        attempt(task, "passed" if (place, epoch) == (0, 2) else "failed", epoch=epoch)
        for place, task in enumerate(tasks)
        for epoch in (1, 2, 3)
    ]
    Run("agentless", poor, model="local/smollm2").write(folder)
    return folder
