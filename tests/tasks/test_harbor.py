"""Exported folders: valid Harbor task directories, verified there as they are graded here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.benchmarks.demo import DATA
from assay.tasks import Task, load_task, save_task
from assay.tasks.files import below, write_tree
from tests.tasks.examples import GOLD, RUN, masked_task
from tests.tasks.verifier_command import OPEN_PYTHON, other_users_can_start, verifier_command

VALIDATE = """
import json, sys
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_task_verifier_mode
told = {}
for place in sys.argv[1:]:
    task = Task(place)
    told[task.name] = [
        Task.is_valid_dir(place),
        resolve_task_verifier_mode(task.config).value,
        task.config.environment.network_mode.value,
        task.config.verifier.network_mode.value,
        task.config.metadata["assay"]["kind"],
        task.paths.discovered_solve_path is not None,
    ]
print(json.dumps(told))
"""


def exported(tasks: list[Task], folder: Path) -> list[Path]:
    places = [folder / task.config.task.name.replace("/", "-") for task in tasks]
    for task, place in zip(tasks, places, strict=True):
        save_task(task, place)
    return places


@pytest.fixture(scope="module")
def every_task() -> list[Task]:
    return [masked_task(), *load_suite("demo").tasks]


def test_an_exported_folder_has_the_fields_and_files_that_harbor_documents(
    every_task: list[Task], tmp_path: Path
) -> None:
    for place in exported(every_task, tmp_path):
        config = tomllib.loads((place / "task.toml").read_text())
        assert set(config) <= {
            "schema_version",
            "artifacts",
            "task",
            "metadata",
            "agent",
            "verifier",
            "environment",
        }
        assert config["artifacts"] == ["/workspace"]
        assert config["task"]["name"].count("/") == 1
        assert config["verifier"]["environment_mode"] == "separate"
        assert config["verifier"]["network_mode"] == "no-network"
        assert config["environment"]["network_mode"] == "no-network"
        assert set(config["metadata"]) == {"assay"}
        for name in ("environment/Dockerfile", "solution/solve.sh", "tests/test.sh", "tests/verify.py"):
            assert (place / name).is_file(), name
        for name in ("solution/solve.sh", "tests/test.sh"):
            assert os.access(place / name, os.X_OK), name
        assert not (place / "tests" / "Dockerfile").exists()


@pytest.fixture(scope="session")
def harbor_python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Python with Harbor: the named one, or one that uv makes in the long tests."""
    named = os.environ.get("ASSAY_HARBOR_PYTHON")
    if named:
        yield named
        return
    if not request.config.option.markexpr.startswith("long"):
        pytest.skip(
            "needs Harbor: name a Python >= 3.12 that has it in ASSAY_HARBOR_PYTHON, or `make test-long`"
        )
    folder = tmp_path_factory.mktemp("harbor") / "environment"
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}") or "uv"
    for command in (
        ["venv", "--python", ">=3.12", str(folder)],
        ["pip", "install", "-p", str(folder), "harbor==0.24.0"],
    ):
        done = subprocess.run([uv, *command], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"Harbor cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    yield str(folder / "bin" / "python")


def test_harbors_own_model_accepts_every_exported_folder(
    every_task: list[Task], tmp_path: Path, harbor_python: str
) -> None:
    places = exported(every_task, tmp_path)
    done = subprocess.run(
        [harbor_python, "-c", VALIDATE, *map(str, places)], capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    for task in every_task:
        expected = [True, "separate", "no-network", "no-network", task.kind, True]
        assert told[task.config.task.name] == expected


def test_saving_follows_the_task_and_not_an_older_export(tmp_path: Path) -> None:
    save_task(masked_task(), tmp_path / "first")
    loaded = load_task(tmp_path / "first")
    table = loaded.assay.model_copy(update={"variations": []})
    metadata = loaded.config.metadata.model_copy(update={"assay": table})
    config = loaded.config.model_copy(update={"metadata": metadata})
    save_task(loaded.model_copy(update={"config": config}), tmp_path / "second")
    facts = json.loads((tmp_path / "second" / "tests" / "task.json").read_text())
    assert facts["variations"] == []
    assert (tmp_path / "second" / "tests" / "harbor" / "assay" / "rules" / "design.py").is_file()


def verify(
    task: Task, files: dict[str, bytes], folder: Path, python: str = sys.executable
) -> dict[str, float]:
    """What the exported verifier makes of a workspace with these files laid over it."""
    save_task(task, folder / "task")
    write_tree({**task.workspace, **files}, folder / "workspace")
    tests, reward = folder / "task" / "tests", folder / "reward.json"
    path = f"{Path(python).parent}{os.pathsep}{os.defpath}"
    command = verifier_command(python, folder / "workspace", tests, reward)
    subprocess.run(command, check=True, env={"PATH": path}, timeout=300)
    rewards: dict[str, float] = json.loads(reward.read_text())
    unknown = rewards.pop("unknown")
    assert set(rewards.values()) <= {0.0, 1.0}
    assert rewards["reward"] == float(
        not unknown and all(rewards[item] for item in rewards if item != "reward")
    )
    return rewards


def test_the_oracle_earns_the_reward_item_by_item(tmp_path: Path) -> None:
    task = masked_task()
    found = verify(task, task.gold_files, tmp_path)
    runs = ("default", "seed", "data")
    assert set(found) == {
        "reward",
        "integrity.startup",
        *(f"execution.{run}" for run in runs),
        *(f"result.{run}.value" for run in runs),
    }
    assert found["reward"] == 1.0


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({}, id="nothing handed in"),
        pytest.param({"results.json": b'{"value": 7.0}'}, id="results without a run"),
        pytest.param({"steps.py": GOLD.replace(b"value * 3.0", b"6.0")}, id="hard-coded"),
        pytest.param({"steps.py": GOLD + b"import time\ntime.sleep(60)\n"}, id="too slow"),
        pytest.param({"steps.py": b"raise SystemExit(0)\n"}, id="ends well without results"),
    ],
)
def test_what_is_not_the_experiment_earns_nothing(files: dict[str, bytes], tmp_path: Path) -> None:
    seconds = 1.0 if b"sleep" in files.get("steps.py", b"") else 3.0
    run = {"command": "python3 run.py", "results": "results.json", "seconds": seconds}
    found = verify(masked_task(run=run), files, tmp_path)
    assert found["reward"] == 0.0


def test_files_that_may_not_change_are_restored(tmp_path: Path) -> None:
    forged = RUN.replace(b"shift(scale(seed * start))", b"7.0")
    found = verify(masked_task(), {"steps.py": GOLD, "run.py": forged, "more/notes.txt": b"kept"}, tmp_path)
    assert found["reward"] == 1.0


def test_results_that_are_a_link_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text('{"value": 7.0}')
    linking = f"import os\nos.symlink({str(outside)!r}, 'results.json')\nos._exit(0)\n"
    found = verify(masked_task(), {"steps.py": linking.encode()}, tmp_path)
    assert found["execution.default"] == 0.0


@pytest.mark.skipif(
    not other_users_can_start(OPEN_PYTHON), reason="only root can run a command as another user"
)
def test_as_root_what_was_handed_in_cannot_read_the_tests(open_folder: Path) -> None:
    spying = f"""
import os
assert os.getuid() != 0
for place in ({str(open_folder / "task" / "tests")!r}, {str(open_folder / "task" / "tests" / "harbor")!r}):
    try:
        os.listdir(place)
    except PermissionError:
        continue
    raise SystemExit("could read " + place)
"""
    found = verify(masked_task(), {"steps.py": GOLD + spying.encode()}, open_folder, OPEN_PYTHON)
    assert found["reward"] == 1.0


@pytest.mark.long
@pytest.mark.parametrize("name", ["character-model", "prune-classifier", "selection-bias"])
def test_every_broken_variant_earns_nothing_and_every_honest_one_the_reward(
    name: str, tmp_path: Path
) -> None:
    task = load_task(DATA / name)
    for variant, files in task.broken.items():
        found = verify(task, {**task.gold_files, **files}, tmp_path / variant)
        assert found["reward"] == 0.0, variant
    honest = below(task.tests, "honest")
    for variant in {path.partition("/")[0] for path in honest}:
        found = verify(task, {**task.gold_files, **below(honest, variant)}, tmp_path / variant)
        assert found["reward"] == 1.0, variant
