"""Shared files, copies and patches in task folders: the task is the same as with every file written out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.errors import TaskError
from assay.tasks import load_task, save_task
from tests.tasks.examples import masked_task

SHARED = "tests/checks/helper.py"
PATCH = b"--- a/steps.py\n+++ b/steps.py\n@@ -1,1 +1,1 @@\n-%s\n+%s\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A task folder with a shared check and a broken variant, both written out."""
    task = masked_task()
    first = task.gold_files["steps.py"].split(b"\n")[0]
    wrong = task.gold_files["steps.py"].replace(first, first + b"  # wrong", 1)
    tests = {**task.tests, "checks/helper.py": b"HELP = 1\n", "broken/commented/steps.py": wrong}
    save_task(task.model_copy(update={"tests": tests}), tmp_path / "suite" / "one")
    return tmp_path / "suite" / "one"


def include(folder: Path, *entries: str) -> None:
    """Write `include` into task.toml."""
    path = folder / "task.toml"
    listed = ", ".join(f'"{entry}"' for entry in entries)
    path.write_text(
        path.read_text().replace("[metadata.assay]\n", f"[metadata.assay]\ninclude = [{listed}]\n")
    )


def copy_part(folder: Path, place: str, source: str = "solution/files") -> None:
    """Write `copies` into task.toml."""
    path = folder / "task.toml"
    line = f'copies = {{ "{place}" = "{source}" }}'
    path.write_text(path.read_text().replace("[metadata.assay]\n", f"[metadata.assay]\n{line}\n"))


def share(folder: Path) -> Path:
    """Move the check into the suite's shared folder."""
    target = folder.parent / "_shared" / SHARED
    target.parent.mkdir(parents=True)
    (folder / SHARED).rename(target)
    return target


def write_patch(folder: Path) -> Path:
    """Turn the broken variant into a patch."""
    variant = folder / "tests" / "broken" / "commented"
    first = (folder / "solution" / "files" / "steps.py").read_bytes().split(b"\n")[0]
    (variant / "steps.py").unlink()
    variant.rmdir()
    path = variant.with_suffix(".patch")
    path.write_bytes(PATCH % (first, first + b"  # wrong"))
    return path


def test_digest_and_export_are_those_of_the_files_written_out(folder: Path, tmp_path: Path) -> None:
    before = load_task(folder)
    share(folder)
    include(folder, f"../_shared/{SHARED}")
    write_patch(folder)
    after = load_task(folder)
    assert after == before
    assert after.digest == before.digest
    save_task(after, tmp_path / "exported")
    assert (tmp_path / "exported" / SHARED).read_bytes() == b"HELP = 1\n"
    assert (tmp_path / "exported" / "tests" / "broken" / "commented" / "steps.py").is_file()
    assert "include" not in (tmp_path / "exported" / "task.toml").read_text()


@pytest.mark.parametrize("kind", ["broken", "honest", "valid"])
def test_each_kind_of_variant_can_be_a_patch(folder: Path, kind: str) -> None:
    first = (folder / "solution" / "files" / "steps.py").read_bytes().split(b"\n")[0]
    (folder / "tests" / kind).mkdir(exist_ok=True)
    (folder / "tests" / kind / "longer.patch").write_bytes(PATCH % (first, first + b"  # longer"))
    tests = load_task(folder).tests
    assert tests[f"{kind}/longer/steps.py"].startswith(first + b"  # longer\n")
    assert f"{kind}/longer.patch" not in tests


@pytest.mark.parametrize(
    "entry",
    [
        "../other/tests/checks/helper.py",
        "../_shared/../../secret",
        "../_shared/tests/../../../secret",
        "/etc/passwd",
        "tests/checks/helper.py",
        "../_shared/task.toml",
        "../_shared/",
        "../../_shared/tests/checks/helper.py",
    ],
)
def test_nothing_but_shared_files_of_the_suite_is_included(folder: Path, entry: str) -> None:
    share(folder)
    include(folder, entry)
    with pytest.raises(TaskError, match="is no shared file") as caught:
        load_task(folder)
    assert caught.value.hint


@pytest.mark.parametrize("place", ["_shared", "_shared/tests/checks", f"_shared/{SHARED}"])
def test_links_on_the_way_to_a_shared_file_are_refused(folder: Path, tmp_path: Path, place: str) -> None:
    share(folder)
    include(folder, f"../_shared/{SHARED}")
    (folder.parent / place).rename(tmp_path / "elsewhere")
    (folder.parent / place).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TaskError, match="is a link"):
        load_task(folder)


def test_a_file_that_is_missing_or_there_twice_is_refused(folder: Path) -> None:
    include(folder, f"../_shared/{SHARED}")
    with pytest.raises(TaskError, match="cannot be read: No such file"):
        load_task(folder)
    data = (folder / SHARED).read_bytes()
    share(folder)
    (folder / SHARED).parent.mkdir(exist_ok=True)
    (folder / SHARED).write_bytes(data)
    with pytest.raises(TaskError, match="in the task's folder and included too"):
        load_task(folder)


def test_a_patch_that_does_not_fit_is_named_with_its_line(folder: Path) -> None:
    path = write_patch(folder)
    path.write_bytes(PATCH % (b"another line", b"a third"))
    with pytest.raises(TaskError, match="the patch expects 'another line'") as caught:
        load_task(folder)
    assert "tests/broken/commented.patch:" in caught.value.place


def test_a_variant_is_a_folder_or_a_patch_and_not_both(folder: Path) -> None:
    (folder / "tests" / "broken" / "commented.patch").write_bytes(PATCH % (b"x", b"y"))
    with pytest.raises(TaskError, match="only one of the two"):
        load_task(folder)


@pytest.mark.parametrize("name", ["", "/steps.py"])
@pytest.mark.parametrize("part", ["solution/files", "environment/workspace"])
def test_grading_can_get_a_copy_of_another_part(folder: Path, tmp_path: Path, name: str, part: str) -> None:
    place, source = f"tests/known{name}", f"{part}{name}"
    copied = folder / "tests" / "known"
    copied.mkdir()
    for path in (folder / part).iterdir():
        if not name or path.name == "steps.py":
            (copied / path.name).write_bytes(path.read_bytes())
    before = load_task(folder)
    shutil.rmtree(copied)
    copy_part(folder, place, source)
    after = load_task(folder)
    assert after == before
    assert after.digest == before.digest
    save_task(after, tmp_path / "exported")
    assert (tmp_path / "exported" / "tests" / "known" / "steps.py").is_file()
    assert "copies" not in (tmp_path / "exported" / "task.toml").read_text()


@pytest.mark.parametrize("place", ["tests/checks", "tests/checks/helper.py", "tests/checks/helper.py/below"])
def test_a_copy_replaces_nothing(folder: Path, place: str) -> None:
    copy_part(folder, place)
    with pytest.raises(TaskError, match=f"{place} is in the task's folder too"):
        load_task(folder)


@pytest.mark.parametrize("place", ["../outside", "/known", "tests/known/", ".", "tests", "solution/known"])
def test_a_copy_stays_in_the_tests(folder: Path, place: str) -> None:
    copy_part(folder, place)
    with pytest.raises(TaskError, match="copies"):
        load_task(folder)


@pytest.mark.parametrize(
    "source", ["solution/missing", "environment/missing", "environment", "tests/checks", "../outside"]
)
def test_only_what_the_solution_or_the_environment_has_is_copied(folder: Path, source: str) -> None:
    copy_part(folder, "tests/known", source)
    with pytest.raises(TaskError, match="copies"):
        load_task(folder)
