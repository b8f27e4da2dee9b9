from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli.verify import verify as print_verdict
from assay.errors import UsageError
from assay.reporting.archive import pack, refuse_bomb, unpack
from assay.reporting.bundle import bundle, digest
from assay.reporting.verification import BundleCheck, verify
from assay.sandbox.session.command_record import CommandEntry
from assay.scoring import read_record, scorecard
from assay.workspace import Submission
from assay.workspace.transcripts import CommandTranscript
from tests.synthetic_logs import Run, attempt, experiment, grade, score

Contents = dict[str, bytes]


def a_run(folder: Path) -> Path:
    """Two agents on two tasks, with the submissions that their grades name."""
    for agent, outcome in (("react", "passed"), ("idle", "failed")):
        samples = []
        for task in ("prune", "spectral-1"):
            handed_in = Submission({"run.py": f"# {agent} on {task}\n".encode()})
            name = handed_in.store(folder / "submissions")
            graded = grade(task, "masked", outcome).model_copy(update={"submission": name})
            samples.append(attempt(task, outcome, scores={"assay": score(graded)}))
        Run(agent, samples).write(folder)
    (folder / "report.html").write_text("<h1>report</h1>")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    return bundle(a_run(folder / "run"), folder / "run.zip")


def contents(archive: Path) -> Contents:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def changed(archive: Path, target: Path, change: Callable[[Contents], None]) -> BundleCheck:
    """What verifying says after someone has changed something."""
    files = contents(archive)
    change(files)
    pack(files, target)
    return verify(target)


def test_a_bundle_holds_everything_and_verifies(made: Path) -> None:
    names = set(contents(made))

    found = verify(made)

    assert found.sound
    assert found.changed == []
    assert (found.files, found.attempts) == (len(names), 4)
    assert found.numbers > 100
    assert {"logs/react.eval", "logs/idle.eval", "report/report.html", "scorecard.json"} <= names
    assert {"SHA256SUMS", "versions.txt", "bundle.json"} <= names
    assert sum(name.startswith("logs/submissions/") for name in names) == 4
    assert b"\ninspect-ai==" in contents(made)["versions.txt"]
    assert found.missing == ["demo/spectral-1"]


def test_its_scorecard_is_that_of_the_logs(made: Path) -> None:
    stated = json.loads(contents(made)["scorecard.json"])

    assert stated == scorecard(read_record(made.parent / "run")).to_json()


def test_the_same_logs_give_the_same_bytes(made: Path, tmp_path: Path) -> None:
    again = bundle(made.parent / "run", tmp_path / "again.zip")

    assert again.read_bytes() == made.read_bytes()


def test_the_sums_are_those_of_sha256sum(made: Path) -> None:
    files = contents(made)

    lines = files.pop("SHA256SUMS").decode().splitlines()

    assert lines == [f"{hashlib.sha256(files[name]).hexdigest()}  {name}" for name in sorted(files)]


def replace_card(files: Contents, card: object) -> None:
    """Put in another scorecard, with sums that fit it."""
    files["scorecard.json"] = json.dumps(card).encode()
    del files["SHA256SUMS"]
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()]
    files["SHA256SUMS"] = "".join(lines).encode()


def test_a_scorecard_from_before_phases_were_in_it_still_verifies(tmp_path: Path) -> None:
    Run("react", [experiment("label-noise")]).write(tmp_path / "run")
    archive = bundle(tmp_path / "run", tmp_path / "run.zip")
    phases = json.loads(contents(archive)["scorecard.json"])["agents"][0]["suites"][0]["experiments"]

    def make_old(files: Contents) -> None:
        card = json.loads(files["scorecard.json"])
        del card["agents"][0]["suites"][0]["experiments"]
        replace_card(files, card)

    def flatter(files: Contents) -> None:
        card = json.loads(files["scorecard.json"])
        card["agents"][0]["suites"][0]["experiments"]["ladder"]["M"]["passed"] = 7
        replace_card(files, card)

    assert phases["ladder"]["M"]["passed"] == 1
    assert {one.path for one in changed(archive, tmp_path / "old.zip", make_old).changed} == set()
    assert not changed(archive, tmp_path / "new.zip", flatter).sound


def adapt_sums(files: Contents) -> None:
    del files["SHA256SUMS"]
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()]
    files["SHA256SUMS"] = "".join(lines).encode()


TRANSCRIPT = CommandTranscript((CommandEntry("run", b"python run.py", b"", b"0.5", 0),))


def a_run_with_a_transcript(folder: Path) -> tuple[Path, str]:
    """A bundle of one attempt with its transcript, and the transcript's hash."""
    name = TRANSCRIPT.store(folder / "run" / "transcripts")
    scored = score(grade("prune", "masked", "failed"))
    scored.metadata = {**(scored.metadata or {}), "transcript": name}
    Run("react", [attempt("prune", "failed", scores={"assay": scored})]).write(folder / "run")
    return bundle(folder / "run", folder / "run.zip"), name


def test_a_replaced_or_removed_transcript_is_found(tmp_path: Path) -> None:
    archive, name = a_run_with_a_transcript(tmp_path)
    path = f"logs/transcripts/{name}.tar.gz"

    def replace(files: Contents) -> None:
        other = CommandTranscript().store(tmp_path / "other")
        files[path] = (tmp_path / "other" / f"{other}.tar.gz").read_bytes()
        adapt_sums(files)

    def remove(files: Contents) -> None:
        del files[path]
        adapt_sums(files)

    assert verify(archive).sound
    (replaced,) = changed(archive, tmp_path / "replaced.zip", replace).changed
    assert (replaced.path, "not the hash" in replaced.problem) == (path, True)
    (removed,) = changed(archive, tmp_path / "removed.zip", remove).changed
    assert (removed.path, "not there" in removed.problem) == (path, True)


def test_a_report_page_is_named_as_not_verified(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its maker may have rewritten it together with its hash."""
    assert verify(made).not_verified == ["report/report.html"]
    print_verdict(made)
    assert "NOT VERIFIED report/report.html" in capsys.readouterr().out


def test_an_added_page_with_its_hash_is_named_as_not_verified(made: Path, tmp_path: Path) -> None:
    def add(files: Contents) -> None:
        files |= dict.fromkeys(("RESULTS.html", "logs/report.html", "logs/submissions/a/b.html"), b"9 of 9")
        adapt_sums(files)

    check = changed(made, tmp_path / "added.zip", add)
    assert {"RESULTS.html", "logs/report.html", "logs/submissions/a/b.html"} <= set(check.not_verified)


def test_a_number_of_attempts_that_the_logs_do_not_have_is_found(made: Path, tmp_path: Path) -> None:
    def add(files: Contents) -> None:
        files["bundle.json"] = json.dumps({**json.loads(files["bundle.json"]), "attempts": 400}).encode()
        adapt_sums(files)

    (change,) = changed(made, tmp_path / "more.zip", add).changed
    assert (change.path, change.problem) == ("bundle.json", "says 400 attempts, the logs have 4")


def test_a_value_that_the_logs_do_not_give_is_found(made: Path, tmp_path: Path) -> None:
    def add(files: Contents) -> None:
        replace_card(files, {**json.loads(files["scorecard.json"]), "rank": None})

    assert any("/rank says null" in one.problem for one in changed(made, tmp_path / "rank.zip", add).changed)


def test_a_number_that_no_float_can_hold_differs_in_one_line(made: Path, tmp_path: Path) -> None:
    def enlarge(files: Contents) -> None:
        card = json.loads(files["scorecard.json"])
        card["agents"][0]["suites"][0]["tasks"] = 10**400
        replace_card(files, card)

    (change,) = changed(made, tmp_path / "huge.zip", enlarge).changed
    assert change.path == "scorecard.json"
    assert change.problem.startswith("/agents/0/suites/0/tasks says 1000")


def test_a_scorecard_with_two_values_for_one_name_is_refused(made: Path, tmp_path: Path) -> None:
    def repeat(files: Contents) -> None:
        files["scorecard.json"] = b'{"agents": [], ' + files["scorecard.json"].lstrip()[1:]
        adapt_sums(files)

    with pytest.raises(UsageError, match="'agents' stands twice"):
        changed(made, tmp_path / "twice.zip", repeat)


def test_a_flattered_scorecard_is_found_out(made: Path, tmp_path: Path) -> None:
    def flatter(files: Contents) -> None:
        card = json.loads(files["scorecard.json"])
        card["agents"][-1]["suites"][0]["passed"] = 2
        replace_card(files, card)

    found = changed(made, tmp_path / "x.zip", flatter)

    assert [(each.path, each.problem) for each in found.changed] == [
        ("scorecard.json", "/agents/1/suites/0/passed says 2, the logs give 0")
    ]


def test_changed_added_and_removed_files_are_named(made: Path, tmp_path: Path) -> None:
    def meddle(files: Contents) -> None:
        files["versions.txt"] += b"extra==1\n"
        files["notes.txt"] = b"hello"
        del files["report/report.html"]

    found = changed(made, tmp_path / "x.zip", meddle)

    assert not found.sound
    assert [each.path for each in found.changed] == ["notes.txt", "report/report.html", "versions.txt"]
    assert [each.problem.rpartition(": ")[2] for each in found.changed] == [
        "it was added",
        "it was taken out",
        "its contents were changed",
    ]


def test_names_that_command_a_terminal_are_spelled_out(made: Path, tmp_path: Path) -> None:
    def meddle(files: Contents) -> None:
        files["SHA256SUMS"] += b"0  \x1b[2J nothing was changed \x1b[8m\n"
        files["logs/x\x1b[2J.txt"] = b""

    check = changed(made, tmp_path / "x.zip", meddle)
    assert not check.sound
    assert all(change.path.isprintable() and change.problem.isprintable() for change in check.changed)
    assert any(change.path == r"logs/x\x1b[2J.txt" for change in check.changed)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_damaged_data_is_refused_in_one_line(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", method) as archive:
        archive.writestr("a.txt", b"a text that is packed, " * 400)
    data = bytearray((tmp_path / "x.zip").read_bytes())
    data[45:75] = bytes(range(200, 230))
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(UsageError, match="cannot be read as an archive"):
        verify(tmp_path / "x.zip")


def test_another_log_changes_the_numbers(made: Path, tmp_path: Path) -> None:
    Run("idle", [attempt("prune", "passed"), attempt("spectral-1", "passed")]).write(tmp_path)

    def swap(files: Contents) -> None:
        files["logs/idle.eval"] = (tmp_path / "idle.eval").read_bytes()

    found = changed(made, tmp_path / "x.zip", swap)

    where = {each.path for each in found.changed}
    assert {"logs/idle.eval", "scorecard.json"} <= where
    assert any("a grade names it and it is not there" in each.problem for each in found.changed)


def test_a_changed_submission_is_not_that_of_its_name(made: Path, tmp_path: Path) -> None:
    name = next(name for name in contents(made) if "/submissions/" in name)

    def replace(files: Contents) -> None:
        files[name] = Submission({"run.py": b"# better"}).archive

    found = changed(made, tmp_path / "x.zip", replace)

    assert [each.path for each in found.changed] == [name, name]


def test_a_published_hash_settles_it(made: Path) -> None:
    assert verify(made, sha256=digest(made)).sound
    assert not verify(made, sha256="0" * 64).sound


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(UsageError, match="cannot be read as an archive"):
        verify(tmp_path / "x.zip")
    pack({"a.txt": b"a"}, tmp_path / "y.zip")
    with pytest.raises(UsageError, match="is no bundle of Assay"):
        verify(tmp_path / "y.zip")
    with pytest.raises(UsageError, match="is not there"):
        verify(tmp_path / "z.zip")
    with pytest.raises(UsageError, match=r"does not end in \.zip"):
        bundle(a_run(tmp_path / "run"), tmp_path / "run.tar")


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "a\\b", "a//b", "folder/"])
def test_paths_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    hostile, inside = tmp_path / "x.zip", tmp_path / "inside"
    inside.mkdir()
    with zipfile.ZipFile(hostile, "w") as archive:
        archive.writestr(name, b"out")

    with pytest.raises(UsageError, match="refused"):
        unpack(hostile, inside)
    assert list(inside.iterdir()) == []
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    member = zipfile.ZipInfo("link")
    member.create_system = 3
    member.external_attr = (kind | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(member, b"/etc/passwd")

    with pytest.raises(UsageError, match="no plain file"):
        unpack(tmp_path / "x.zip", tmp_path / "inside")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", [("a", "a"), ("a", "a/b")])
def test_a_name_that_stands_twice_is_refused(tmp_path: Path, names: tuple[str, str]) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name in names:
            archive.writestr(name, name)

    with pytest.raises(UsageError, match="twice"):
        unpack(tmp_path / "x.zip", tmp_path / "inside")


@pytest.mark.long
def test_an_archive_before_the_archive_is_refused(tmp_path: Path) -> None:
    pack({"scorecard.json": b"{}"}, tmp_path / "one.zip")
    pack({"scorecard.json": b"[]"}, tmp_path / "other.zip")
    both = tmp_path / "both.zip"
    both.write_bytes((tmp_path / "other.zip").read_bytes() + (tmp_path / "one.zip").read_bytes())
    with pytest.raises(UsageError, match="bytes before its first file"):
        unpack(both, tmp_path / "out")


def test_bombs_are_refused_before_they_fill_the_disk(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", bytes(64 * 1024**2))
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", bytes(257 * 1024**2))
    pack({str(number): b"" for number in range(12)}, tmp_path / "many.zip")

    with pytest.raises(UsageError, match="unpacks to more"):
        unpack(tmp_path / "x.zip", tmp_path / "inside")
    assert (tmp_path / "inside" / "bomb").stat().st_size <= 17 * 1024**2
    with pytest.raises(UsageError, match="at most 10 are taken"):
        unpack(tmp_path / "many.zip", tmp_path / "many", most_files=10)
    with pytest.raises(UsageError, match="unpacks to more than 8 bytes"):
        unpack(_with(tmp_path, "abc", b"123456789"), tmp_path / "small", most_bytes=8)
    with pytest.raises(UsageError, match="far more than it holds"):
        refuse_bomb(tmp_path / "log.eval")


def test_what_a_bundle_has_can_be_unpacked_however_well_it_packs(tmp_path: Path) -> None:
    zeros = tmp_path / "zeros"
    zeros.write_bytes(bytes(17 * 1024**2))
    pack({"file": zeros, "bytes": zeros.read_bytes(), "text": b"plain"}, tmp_path / "x.zip")
    assert unpack(tmp_path / "x.zip", tmp_path / "inside") == ["bytes", "file", "text"]
    assert (tmp_path / "inside" / "file").read_bytes() == zeros.read_bytes()


def _with(folder: Path, name: str, data: bytes) -> Path:
    pack({name: data}, folder / "one.zip")
    return folder / "one.zip"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("scorecard.json", b"[" * 200_000),
        ("scorecard.json", b"[" * 500 + b"]" * 500),
        ("bundle.json", b'{"a":' * 100_000),
    ],
)
def test_deep_nesting_ends_in_one_clear_line(made: Path, tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(UsageError) as caught:
        changed(made, tmp_path / "x.zip", lambda files: files.update({name: data}))
    assert name in caught.value.message
    assert "\n" not in caught.value.message
