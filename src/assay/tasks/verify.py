"""The verifier that travels with an exported task: `python3 -I verify.py WORKSPACE TESTS REWARD_JSON`.

It makes the numbers again from what was handed in, and writes {"reward": 0 or 1, item: 0 or 1, …}. It needs
the standard library alone and expects a container of its own. Compared with `assay grade` it does not
- give each command a fresh sandbox: as root it runs what was handed in as another user, who cannot read the
  tests, and ends that user's processes after each command; not as root it can do neither;
- limit memory, disk or processes, which is left to the container;
- watch for cheating, keep evidence, or try a control when a check breaks: here whatever breaks counts as 0.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

OTHER_USER = 64123
ROLES = ("constant", "independent", "dependent")
VARIABLES = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
    "PATH": os.environ.get("PATH", os.defpath),
}


def plain_files(folder: Path) -> list[str]:
    """Every regular file below a folder; what links lead to is not there."""
    found = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    plain = (path for path in found if path.is_file() and not path.is_symlink())
    return sorted(path.relative_to(folder).as_posix() for path in plain)


def copy(source: Path, target: Path, names: list[str]) -> Path:
    """A folder with those of the named files that are plain ones in the source."""
    target.mkdir(parents=True, exist_ok=True)
    for name in set(names) & set(plain_files(source)):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
    return target


class Bench:
    """Folders for one verification, and commands run in them, trusted and not."""

    def __init__(self, folder: Path, tests: Path) -> None:
        self.folder, self.tests = folder, tests
        self.apart: dict[str, Any] = {}
        if os.geteuid() == 0:
            folder.chmod(0o711)
            tests.chmod(0o700)
            user: dict[str, Any] = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []}
            # Where that user cannot even start Python, as with one below /root, nothing can be run apart.
            with suppress(OSError):
                if subprocess.call([sys.executable, "-c", ""], cwd="/", env=VARIABLES, **user) == 0:
                    self.apart = user

    def start(self, command: list[str], folder: Path, trusted: bool, **more: Any) -> subprocess.Popen[bytes]:
        """Start a command in a folder; an untrusted one owns it, is another user, and is not heard."""
        how: dict[str, Any] = {"stdin": subprocess.DEVNULL, "cwd": folder, "start_new_session": True}
        if not trusted:
            how |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **self.apart}
            for place in (folder, *folder.rglob("*")) if self.apart else ():
                os.chown(place, OTHER_USER, OTHER_USER)
        how["env"] = {**VARIABLES, "HOME": str(folder), **more.pop("variables", {})}
        return subprocess.Popen(command, **{**how, **more})

    def end(self, process: subprocess.Popen[bytes], seconds: float) -> int:
        """The exit status after at most so long; whatever else the command started is ended with it."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        while strays := list(self._strays()):
            for pid in strays:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        return process.wait()

    def _strays(self) -> Iterator[int]:
        for place in Path("/proc").glob("[0-9]*") if self.apart else ():
            with suppress(OSError):
                status = (place / "status").read_text()
                if f"Uid:\t{OTHER_USER}\t" in status and "State:\tZ" not in status:
                    yield int(place.name)


class Verification:
    """The items of one task, each 0 or 1."""

    def __init__(self, task: dict[str, Any], workspace: Path, bench: Bench) -> None:
        self.task, self.bench, self.items = task, bench, dict[str, float]()
        names = [name for name in plain_files(workspace) if name not in (*task["fixed"], *task["remade"])]
        self.clean = copy(workspace, bench.folder / "submission", names)
        copy(bench.tests / "pristine", self.clean, task["fixed"])
        self.files = plain_files(self.clean)

    def verify(self) -> dict[str, float]:
        """Try every item of this kind of task."""
        self.items |= {f"handed-in.{path}": float(path in self.files) for path in self.task["required"]}
        if self.task["challenge"]:
            self.challenge(self.task["challenge"])
        if self.task["run"]:
            results = [self.rerun(variation) for variation in self.task["variations"]]
            self.requirements()
            self.items |= design(self.bench.tests, read_json(self.clean / "design.json"))
            self.items |= conclusion(self.bench.tests, read_json(self.clean / "conclusion.json"), results[0])
        return {"reward": float(all(self.items.values())), **self.items}

    def remake(self, name: str, command: str, seconds: float, wanted: list[str], **more: Any) -> Path | None:
        """A folder with the files that a command wrote in a clean workspace, None where it failed."""
        folder = copy(self.clean, self.bench.folder / "work" / name, self.files)
        process = self.bench.start(["/bin/bash", "-c", command], folder, trusted=False, **more)
        status = self.bench.end(process, seconds)
        written = copy(folder, self.bench.folder / "outputs" / name, wanted)
        return written if status == 0 else None

    def rerun(self, variation: dict[str, Any]) -> object:
        """The results of one run, after its numbers were compared."""
        run, name, variables = self.task["run"], variation["name"], {}
        if variation["seed"] is not None:
            variables["ASSAY_SEED"] = str(variation["seed"])
        if variation["data"] is not None:
            source = self.bench.tests / variation["data"]
            place = self.bench.folder / "data" / name / source.name
            place.parent.mkdir(parents=True)
            (shutil.copytree if source.is_dir() else shutil.copyfile)(source, place)
            variables["ASSAY_DATA"] = str(place)
        wanted = [*([run["results"]] if run["results"] else []), *run["outputs"]]
        command = variation.get("command") or run["command"]
        said = self.bench.folder / f"{name}.stdout"
        with said.open("wb") as stdout:
            folder = self.remake(name, command, run["seconds"], wanted, variables=variables, stdout=stdout)
        results = read_results(folder, run, said.read_text(errors="replace")) if folder else None
        self.items[f"execution.{name}"] = float(results is not None)
        for metric, (path, gold, tolerance) in variation["metrics"].items():
            self.items[f"result.{name}.{metric}"] = float(close(look_up(results, path), gold, tolerance))
        return results

    def requirements(self) -> None:
        """Each check, run over what the runs wrote."""
        for each in read_truth(self.bench.tests, "requirement"):
            command = [sys.executable, str(self.bench.tests / each["check"])]
            status = self.bench.end(self.bench.start(command, self.bench.folder, trusted=True), 60.0)
            self.items[f"requirement.{each['id']}"] = float(status == 0 and self.items["execution.default"])

    def challenge(self, wanted: dict[str, Any]) -> None:
        """Build, serve, evaluate; the evaluator alone is trusted."""
        artefacts: Path | None = self.clean
        if wanted["build"]:
            artefacts = self.remake("built", wanted["build"], wanted["build_seconds"], wanted["artefacts"])
        there = artefacts is not None and set(wanted["artefacts"]) <= set(plain_files(artefacts))
        report = self.evaluate(wanted, artefacts) if artefacts and there else {}
        score = look_up(report, "score")
        gain = (score - wanted["reference"]) * (1 if wanted["direction"] == "higher" else -1)
        rules = {f"rule.{name}": float(rule["met"] is True) for name, rule in report.get("rules", {}).items()}
        reached = {"score.reference": float(gain >= -wanted["noise"])}
        self.items |= {"execution.build": float(there), **rules, **reached}

    def evaluate(self, wanted: dict[str, Any], artefacts: Path) -> dict[str, Any]:
        """The evaluator's report, empty where it broke."""
        folder = self.bench.folder / "evaluation"
        copy(self.clean, folder / "submission", self.files)
        copy(artefacts, folder / "artefacts", wanted["artefacts"])
        command = [sys.executable, str(self.bench.tests / wanted["evaluate"])]
        more: dict[str, Any] = {}
        if wanted["serve"]:
            stage = copy(self.clean, self.bench.folder / "serving", wanted["serve_files"])
            copy(artefacts, stage, wanted["serve_files"])
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            server = self.bench.start(["/bin/bash", "-c", wanted["serve"]], stage, trusted=False, **pipes)
            more = {"stdin": server.stdout, "stdout": server.stdin}
        evaluator = self.bench.start(command, folder, trusted=True, **more)
        for end in more.values():
            end.close()
        with suppress(subprocess.TimeoutExpired):
            evaluator.wait(wanted["evaluate_seconds"])
        if wanted["serve"]:
            self.bench.end(server, 0.0)
        report = read_json(folder / "report.json") if self.bench.end(evaluator, 0.0) == 0 else None
        return report if isinstance(report, dict) else {}


def design(tests: Path, stated: object) -> dict[str, float]:
    """Each variable of the design: the right role, the right values; spelling is forgiven."""
    roles = {role: stated.get(role, {}) for role in ROLES} if isinstance(stated, dict) else {}
    parts = {role: part if isinstance(part, dict) else dict.fromkeys(part) for role, part in roles.items()}
    items = {}
    for each in read_truth(tests, "variable", "design.toml"):
        names = {normal(name) for name in (each["name"], *each.get("synonyms", []))}
        found = [(role, part[name]) for role, part in parts.items() for name in part if normal(name) in names]
        values = found[0][1] if found else None
        listed = sorted(map(normal, values if isinstance(values, list) else [values]))
        wanted = sorted(map(normal, each.get("values", []))) or listed
        met = {role for role, _ in found} == {each["role"]} and listed == wanted
        items[f"design.{each['name']}"] = float(met)
    return items


def conclusion(tests: Path, stated: object, results: object) -> dict[str, float]:
    """Each claim against the truth, and all of them against the numbers of their own run."""
    claims = stated.get("claims") if isinstance(stated, dict) else None
    items, faithful = {}, []
    for each in read_truth(tests, "claim", "conclusion.toml"):
        said = claims.get(each["id"]) if isinstance(claims, dict) else None
        items[f"conclusion.{each['id']}"] = float(agrees(each, said, each["answer"]))
        faithful.append(agrees(each, said, derive(each, results)))
    return {**items, "conclusion.faithful": float(all(faithful))} if faithful else {}


def agrees(claim: dict[str, Any], said: object, expected: Any) -> bool:
    """Whether an answer is the expected one, by the claim's kind."""
    if claim["kind"] == "magnitude":
        return close(look_up({"said": said}, "said"), expected, claim.get("tolerance", 0.0))
    return said == expected or (isinstance(said, str) and said.strip().lower() == expected)


def derive(claim: dict[str, Any], results: object) -> Any:
    """What the numbers of a run say to the claim's question."""
    numbers = [look_up(results, path) for path in claim["paths"]]
    if claim["kind"] == "ordering":
        best_is_high = claim.get("best", "higher") == "higher"
        return [name for _, name in sorted(zip(numbers, claim["order"], strict=True), reverse=best_is_high)]
    difference = numbers[0] - (numbers[1] if len(numbers) == 2 else 0.0)
    if claim["kind"] == "magnitude":
        return difference
    if abs(difference) <= claim.get("tolerance", 0.0):
        return "same"
    return "higher" if difference > 0 else "lower"


def close(got: float, gold: float, tolerance: float) -> bool:
    """Whether a number is gold's, within tolerance; NaN stands for no number, and so agrees with nothing."""
    return got == gold or abs(got - gold) <= tolerance


def look_up(results: object, path: str) -> float:
    """The number at a dotted path, NaN where there is none."""
    place: Any = results
    try:
        for step in path.split("."):
            place = place[int(step) if isinstance(place, list) else step]
    except (LookupError, TypeError, ValueError):
        return math.nan
    return float(place) if isinstance(place, int | float) and not isinstance(place, bool) else math.nan


def read_results(folder: Path, run: dict[str, Any], said: str) -> object:
    """What a run wrote, with the numbers it printed under `stdout`; None where a file cannot be read."""
    results = read_json(folder / run["results"]) if run["results"] else {}
    if results is None or not run.get("printed"):
        return results
    stdout = {}
    for each in run["printed"]:
        found = [match.group(1 if match.re.groups else 0) for match in re.finditer(each["pattern"], said)]
        with suppress(ValueError):
            stdout[each["name"]] = [float(text) for text in found] if len(found) == each["count"] else []
    return {**(results if isinstance(results, dict) else {}), "stdout": stdout}


def normal(value: object) -> str:
    """A number by its value, a word by its letters."""
    try:
        return str(float(str(value)))
    except ValueError:
        return re.sub(r"[\W_]+", "", str(value).casefold())


def read_json(path: Path) -> object:
    """What a JSON file holds, None where it cannot be read."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def read_truth(tests: Path, key: str, name: str = "requirements.toml") -> list[dict[str, Any]]:
    """The entries of one file of the truth, none where the task has no such file."""
    return tomllib.loads((tests / name).read_text())[key] if (tests / name).is_file() else []


def main(workspace: str, tests: str, reward: str) -> None:
    """Write the reward."""
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch), Path(tests).resolve())
        task = json.loads((bench.tests / "task.json").read_bytes())
        Path(reward).write_text(json.dumps(Verification(task, Path(workspace), bench).verify()) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
