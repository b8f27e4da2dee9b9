"""Inputs of the full tier come from a hub over real HTTP, are locked at first, and stay the same."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.benchmarks import load_suite
from assay.benchmarks.mlrb import fetching, sources
from assay.benchmarks.mlrb.split_rows import is_held
from assay.cli import app
from assay.errors import InputMissing, UsageError
from assay.tasks.inputs import input_folder, tree_hash
from tests.benchmarks.mlrb.a_hub import Hub, serving
from tests.benchmarks.mlrb.test_inputs import tar, zipped

TRACK = "datasets/AlgorithmicResearchGroup/math_reasoning_autoformalization_track"
MISTRAL = "models/mistralai/Mistral-7B-v0.1"
PHI = "models/microsoft/phi-2"
COMMIT = "a" * 40
MODEL = {
    "config.json": b"{}",
    "tokenizer.json": b'{"a": 1}',
    "model-00001-of-00002.safetensors": b"first" * 1000,
    "model-00002-of-00002.safetensors": b"second" * 1000,
    "pytorch_model.bin": b"never taken",
    "README.md": b"a card",
}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    found = Hub()
    found.repositories = {PHI: {COMMIT: dict(MODEL)}, MISTRAL: {COMMIT: dict(MODEL)}}
    with serving(found) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
        yield found


def source(name: str) -> sources.Source:
    return next(each for each in sources.sources() if each.name == name)


def brought(*wanted: sources.Source, monkeypatch: pytest.MonkeyPatch) -> list[sources.Locked]:
    """What a fetch of these inputs alone finds."""
    monkeypatch.setattr(fetching, "sources", lambda: wanted)
    return [lock for _, lock in fetching.fetch(None, lambda text: None)]


def files_of(name: str) -> dict[str, bytes]:
    folder = input_folder(source(name).plain())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def leave_store(tmp_path: Path) -> None:
    """The cache's inputs are gone, its lock is not: as on another machine that was given the lock."""
    (tmp_path / "cache" / "inputs").rename(tmp_path / "elsewhere")


def test_a_model_is_taken_at_a_commit_with_the_wanted_files_alone(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lock,) = brought(source("phi-2"), monkeypatch=monkeypatch)
    taken = {name: data for name, data in MODEL.items() if name.endswith((".json", ".safetensors"))}
    assert files_of("phi-2") == taken
    assert (lock.revision, set(lock.files)) == (COMMIT, set(taken))
    assert lock.sha256 == tree_hash(input_folder(source("phi-2").plain()))
    assert source("phi-2").plain().origin == f"the hub's {PHI} at {COMMIT}"


def test_what_is_here_is_not_brought_again(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    brought(source("phi-2"), monkeypatch=monkeypatch)
    asked = len(hub.asked)
    brought(source("phi-2"), monkeypatch=monkeypatch)
    assert len(hub.asked) == asked


def test_other_bytes_at_a_second_fetch_are_refused(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought(source("phi-2"), monkeypatch=monkeypatch)
    leave_store(tmp_path)
    hub.repositories[PHI][COMMIT]["tokenizer.json"] = b'{"a": 2}'
    with pytest.raises(InputMissing, match=r"differs from the earlier fetch: tokenizer\.json differs"):
        brought(source("phi-2"), monkeypatch=monkeypatch)
    assert list((tmp_path / "cache" / "inputs").iterdir()) == []
    hub.repositories[PHI][COMMIT] = dict(MODEL)
    assert len(brought(source("phi-2"), monkeypatch=monkeypatch)) == 1


def test_a_branch_that_has_moved_on_changes_nothing(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought(source("phi-2"), monkeypatch=monkeypatch)
    leave_store(tmp_path)
    hub.repositories[PHI]["b" * 40] = {**MODEL, "tokenizer.json": b"another"}
    (lock,) = brought(source("phi-2"), monkeypatch=monkeypatch)
    assert lock.revision == COMMIT
    assert files_of("phi-2")["tokenizer.json"] == MODEL["tokenizer.json"]


def test_a_download_that_breaks_off_leaves_nothing_and_the_next_goes_on(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.cut = {"model-00002-of-00002.safetensors"}
    with pytest.raises(InputMissing, match="ended after"):
        brought(source("phi-2"), monkeypatch=monkeypatch)
    left = {path.name for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.stat().st_size}
    assert left == {"config.json", "tokenizer.json", "model-00001-of-00002.safetensors"}
    assert sources.recorded() == {}
    hub.cut = set()
    brought(source("phi-2"), monkeypatch=monkeypatch)
    assert hub.count("model-00001-of-00002.safetensors") == 1
    assert hub.count("model-00002-of-00002.safetensors") == 2
    assert not (tmp_path / "cache" / "mlrb" / "partial" / "phi-2").exists()


def test_a_file_that_is_not_what_its_home_says_is_refused(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    told_before = hub._told
    wrong = {"model-00001-of-00002.safetensors": b"third" * 1000}
    monkeypatch.setattr(hub, "_told", lambda commit, files: told_before(commit, {**files, **wrong}))
    with pytest.raises(InputMissing, match="does not have the hash that its home states"):
        brought(source("phi-2"), monkeypatch=monkeypatch)


def test_a_repository_that_is_not_there_is_named(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    del hub.repositories[PHI]
    with pytest.raises(InputMissing, match=r"phi-2/revision/main.*404"):
        brought(source("phi-2"), monkeypatch=monkeypatch)


def test_a_missing_file_is_named(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    lone = source("merging-validation").model_copy(update={"addresses": [f"{hub.address}/data/xsum.csv"]})
    with pytest.raises(InputMissing, match=r"data/xsum\.csv could not be downloaded: HTTP Error 404"):
        brought(lone, monkeypatch=monkeypatch)


def test_archives_are_unpacked(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.plain = {
        "/v2/COPA.zip": zipped({"COPA/val.jsonl": b"{}"}),
        "/blimp/refs/heads/master": tar({"blimp-master/data/a.jsonl": b"{}"}),
    }
    glue, blimp = (
        source(name).model_copy(update={"addresses": [f"{hub.address}{path}"]})
        for name, path in zip(("superglue", "blimp"), hub.plain, strict=True)
    )
    brought(glue, blimp, monkeypatch=monkeypatch)
    assert set(files_of("superglue")) == {"COPA/val.jsonl"}
    assert set(files_of("blimp")) == {"blimp-master/data/a.jsonl"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.REGTYPE])
def test_an_archive_with_more_than_plain_files_is_refused(
    kind: bytes, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every supported Python refuses it, those without `tarfile.data_filter` included."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("../outside" if kind == tarfile.REGTYPE else "blimp/data")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    hub.plain = {"/blimp/refs/heads/master": packed.getvalue()}
    blimp = source("blimp").model_copy(update={"addresses": [f"{hub.address}/blimp/refs/heads/master"]})
    with pytest.raises(InputMissing, match="not a plain file inside the archive's folder"):
        brought(blimp, monkeypatch=monkeypatch)


def test_a_path_that_leads_out_is_refused(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.repositories[PHI] = {COMMIT: {**MODEL, "model/../../../x.safetensors": b"out"}}
    with pytest.raises(InputMissing, match="has an invalid path"):
        brought(source("phi-2"), monkeypatch=monkeypatch)


def test_no_file_is_both_held_and_shown(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    files = (
        "data/train-0.parquet",
        "data/val-0.parquet",
        "data/test-0.parquet",
        "data/train-and-test.parquet",
    )
    shown, held = source("imagenet100"), source("imagenet100-held")
    hub.repositories[str(shown.hub)] = {COMMIT: {name: name.encode() for name in files}}
    brought(shown, held, monkeypatch=monkeypatch)
    assert set(files_of("imagenet100")) == set(files[:2])
    assert set(files_of("imagenet100-held")) == set(files[2:])


def test_the_token_goes_to_the_hub_alone(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "not-a-real-token")
    brought(source("phi-2"), monkeypatch=monkeypatch)
    tokens = {path.startswith("/cdn/"): token for path, token in hub.asked}
    assert tokens == {False: "Bearer not-a-real-token", True: None}


def test_an_unknown_challenge_is_refused(hub: Hub) -> None:
    with pytest.raises(UsageError, match="no challenge 'no_such'"):
        fetching.fetch("no_such", lambda text: None)


@pytest.mark.long
def test_the_verb_fetches_a_challenge_and_says_that_nobody_verified_it(hub: Hub) -> None:
    rows = [{"name": f"theorem {at}", "formal_proof": "…"} for at in range(200)]
    hub.repositories[TRACK] = {COMMIT: {"train.jsonl": "\n".join(map(json.dumps, rows)).encode()}}
    done = CliRunner().invoke(app, ["fetch", "mlrb", "--only", "math_reasoning"])
    assert done.exit_code == 0, done.output
    assert done.output.count("not verified by us") == 3
    shown, held = (
        [json.loads(line) for line in files_of(name)["rows.jsonl"].splitlines()]
        for name in ("proofs", "proofs-held")
    )
    assert sorted(row["name"] for row in shown + held) == sorted(row["name"] for row in rows)
    assert all(map(is_held, held))
    assert 5 < len(held) < 40
    assert "math_reasoning" not in load_suite("mlrb").needs
    told = json.loads(CliRunner().invoke(app, ["fetch", "mlrb", "--only", "math_reasoning", "--json"]).output)
    assert [(each["name"], each["revision"], each["verified"]) for each in told["inputs"]] == [
        ("mistral-7b", COMMIT, False), ("proofs", COMMIT, False), ("proofs-held", COMMIT, False),
    ]  # fmt: skip
