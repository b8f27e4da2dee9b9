"""Measures proposals over hidden seeds, and compares them with their predictions. Writes report.json.

The measuring program is a part of the truth and runs here. A proposal runs in another sandbox, in a fresh
process for each run, and only answers calls. So it can change no measuring code and write no result.
"""

import contextlib
import json
import math
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

TRUTH = Path(__file__).parent
START_SECONDS = 240.0
MOST_BYTES = 100000


class MeasuredProposal(NamedTuple):
    """One proposal with its prediction and what its runs gave."""

    name: str
    probability: float
    predicted: float
    gains: Optional[List[float]]
    """The gain over the baseline with each seed; None if a run failed."""
    failure: str

    @property
    def gain(self) -> float:
        """The mean gain; a proposal that fails gains nothing and loses to all others."""
        return sum(self.gains) / len(self.gains) if self.gains else -math.inf


class ProposalServer:
    """The process at the other end of stdin and stdout, which is believed in nothing."""

    def replace(self, proposal: str) -> None:
        """Start a fresh process that loads a proposal; raise ValueError if it cannot."""
        token = os.environ["ASSAY_FRESH_SERVER"].encode()
        self.write(token)
        ready, received = b"\n" + token + b"\n", b""
        deadline = time.monotonic() + START_SECONDS
        while ready not in received:
            received = received[-len(ready) :] + self.read(deadline)
        self.write(json.dumps({"load": "proposals/%s.py" % proposal}).encode() + b"\n")
        line = b""
        while not line.endswith(b"\n"):
            line += self.read(deadline)
            if len(line) > MOST_BYTES:
                raise ValueError("it sent more than one line")
        answer = json.loads(line)
        if not isinstance(answer, dict) or "error" in answer:
            raise ValueError(str(answer)[:200])

    def write(self, data: bytes) -> None:
        """Send bytes."""
        while data:
            data = data[os.write(1, data) :]

    def read(self, deadline: float) -> bytes:
        """Receive bytes before a deadline."""
        ready, _, _ = select.select([0], [], [], max(0.0, deadline - time.monotonic()))
        data = os.read(0, 1 << 16) if ready else b""
        if not data:
            raise ValueError("its process ended, or did not answer in time")
        return data


def read_predictions(truth: Dict[str, Any]) -> Dict[str, Tuple[float, float]]:
    """Return proposal → probability and gain, or raise ValueError."""
    data = Path("artefacts/predictions.json").read_bytes()
    table = json.loads(data) if len(data) <= MOST_BYTES else None
    if not isinstance(table, dict):
        raise ValueError("predictions.json is no object, or has more than %d bytes" % MOST_BYTES)
    files = sorted(path.stem for path in Path("submission/proposals").glob("*.py"))
    if sorted(table) != files or not set(files) <= set(truth["names"]):
        raise ValueError("predictions.json names %s, and proposals/ has %s" % (sorted(table)[:8], files[:8]))
    if not truth["least"] <= len(table) <= len(truth["names"]):
        text = "%d proposals, expected %d to %d"
        raise ValueError(text % (len(table), truth["least"], len(truth["names"])))
    predictions = {}
    for name, entry in table.items():
        probability, gain = float(entry["probability"]), float(entry["gain"])
        if not (0 <= probability <= 1 and math.isfinite(gain)):
            raise ValueError("%s: probability %r and gain %r are no prediction" % (name, probability, gain))
        predictions[name] = (probability, gain)
    return predictions


def measure(truth: Dict[str, Any], seed: int, channel: bool) -> float:
    """Run the measuring program once, and return its number; raise ValueError if it has none."""
    folder = Path("measuring")
    shutil.rmtree(str(folder), ignore_errors=True)
    shutil.copytree(str(TRUTH / "measure"), str(folder))
    variables = dict(os.environ, ASSAY_SEED=str(seed))
    variables.pop("ASSAY_FRESH_SERVER", None)
    descriptors: Tuple[int, ...] = (os.dup(0), os.dup(1)) if channel else ()
    if channel:
        variables["ASSAY_CALLS"] = ",".join(map(str, descriptors))
    process = subprocess.Popen(
        ["bash", "reproduce.sh"],
        cwd=str(folder),
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=descriptors,
        start_new_session=True,
    )
    try:
        _, errors = process.communicate(timeout=truth["seconds"])
    except subprocess.TimeoutExpired:
        raise ValueError("it took more than %g s" % truth["seconds"]) from None
    finally:
        end_group(process)
        for descriptor in descriptors:
            os.close(descriptor)
    if process.returncode != 0:
        raise ValueError(errors.decode(errors="replace").strip()[-200:] or "exit %d" % process.returncode)
    row, column = truth["number"]
    value = float(json.loads((folder / "results.json").read_text())[row][column])
    if not math.isfinite(value):
        raise ValueError("its number is %r" % value)
    return value


def end_group(process: Any) -> None:
    """Kill what a run has started."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, 9)
    process.wait()


def measure_proposal(
    truth: Dict[str, Any], name: str, prediction: Tuple[float, float], baselines: Dict[int, float]
) -> MeasuredProposal:
    """Measure one proposal over all seeds."""
    server, gains = ProposalServer(), []
    for seed, baseline in baselines.items():
        try:
            server.replace(name)
            gains.append(truth["sign"] * (measure(truth, seed, True) - baseline))
        except (OSError, ValueError, KeyError, TypeError) as problem:
            return MeasuredProposal(name, prediction[0], prediction[1], None, str(problem)[:160])
    return MeasuredProposal(name, prediction[0], prediction[1], gains, "")


def different(proposals: List[MeasuredProposal], smallest: float) -> List[MeasuredProposal]:
    """Leave out proposals with the numbers of the baseline, or of an earlier proposal, with every seed."""
    distinct = []  # type: List[MeasuredProposal]
    known_gains = [[0.0] * 1000]
    for proposal in proposals:
        gains = proposal.gains
        if gains and any(
            all(abs(a - b) <= smallest for a, b in zip(gains, earlier)) for earlier in known_gains
        ):
            continue
        distinct.append(proposal)
        known_gains += [gains] if gains else []
    return distinct


def brier(proposals: List[MeasuredProposal]) -> float:
    """Return the mean squared error of the probabilities of being better than the baseline."""
    return sum((entry.probability - float(entry.gain > 0)) ** 2 for entry in proposals) / len(proposals)


def ranks(values: List[float]) -> List[float]:
    """Return the rank of each value; equal values share the mean of their ranks."""
    return [
        sum(number < value for number in values) + (sum(number == value for number in values) - 1) / 2.0
        for value in values
    ]


def rank_correlation(first: List[float], second: List[float]) -> float:
    """Return Spearman's correlation; 0 if one side has equal values only."""
    first, second = ranks(first), ranks(second)
    mean_rank = (len(first) - 1) / 2.0
    product = sum((a - mean_rank) * (b - mean_rank) for a, b in zip(first, second))
    squares = sum((a - mean_rank) ** 2 for a in first) * sum((b - mean_rank) ** 2 for b in second)
    return product / math.sqrt(squares) if squares else 0.0


def verdict(met: bool, evidence: str) -> Dict[str, Any]:
    """A rule as grading reads it."""
    return {"met": met, "evidence": evidence}


def judge(truth: Dict[str, Any], proposals: List[MeasuredProposal]) -> Dict[str, Any]:
    """The rules on the predictions, and the score."""
    distinct = different(proposals, truth["smallest"])
    lines = "; ".join(
        "%s: predicted %+.4g (%.2f), %s"
        % (
            entry.name,
            entry.predicted,
            entry.probability,
            "measured %+.4g" % entry.gain if entry.gains else "failed: " + entry.failure,
        )
        for entry in proposals
    )
    count = sum(entry.gains is not None for entry in distinct)
    are_enough = count >= truth["least"]
    rules = {
        "form": verdict(True, "%d proposals with predictions" % len(proposals)),
        "distinct": verdict(
            are_enough, "%d different proposals of %d run: %s" % (count, len(proposals), lines)
        ),
    }
    if not are_enough:
        return {"score": None, "standard_error": None, "rules": rules}
    # Proposals that are sure to be bad must not hide guesses about the others.
    claimed = [entry for entry in distinct if entry.probability >= 0.5]
    error = max(brier(distinct), brier(claimed) if claimed else 1.0)
    correlation = rank_correlation(
        [entry.predicted for entry in distinct], [entry.gain for entry in distinct]
    )
    rules["calibration"] = verdict(
        error <= truth["brier"], "Brier score %.3f, at most %.3f; %s" % (error, truth["brier"], lines)
    )
    rules["ranking"] = verdict(
        correlation >= truth["rank"], "rank correlation %.2f, at least %.2f" % (correlation, truth["rank"])
    )
    best = max(distinct, key=lambda entry: entry.gain)
    gains = best.gains or [0.0]
    spread = math.sqrt(sum((gain - best.gain) ** 2 for gain in gains) / max(1, len(gains) - 1) / len(gains))
    return {"score": best.gain if best.gains else None, "standard_error": spread, "rules": rules}


def evaluate() -> Dict[str, Any]:
    """The report."""
    truth = json.loads((TRUTH / "ideation.json").read_text())
    try:
        predictions = read_predictions(truth)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        return {"score": None, "standard_error": None, "rules": {"form": verdict(False, str(problem)[:300])}}
    seeds = json.loads((TRUTH / "seeds.json").read_text())
    baselines = {seed: measure(truth, seed, False) for seed in seeds}
    return judge(
        truth,
        [measure_proposal(truth, name, predictions[name], baselines) for name in sorted(predictions)],
    )


if __name__ == "__main__":
    Path("report.json").write_text(json.dumps(evaluate(), indent=2) + "\n")
