"""Bringing the full tier's inputs: from their homes into the store, locked at what the first fetch found."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path

from assay.benchmarks.mlrb.downloads import Tell, bring, hub_files, plain_files
from assay.benchmarks.mlrb.inputs import missing
from assay.benchmarks.mlrb.sources import LOCK, Locked, Source, record, recorded, sources, sources_of
from assay.cache import cache_folder, locked
from assay.errors import InputMissing, UsageError
from assay.tasks.inputs import keep_input, tree_hash
from assay.workspace import build_environment

SPLITTING = ["pyarrow==26.0.1"]
"""What `split_rows.py` needs."""
PROGRAM = Path(__file__).with_name("split_rows.py")


def fetch(only: str | None, tell: Tell) -> list[tuple[Source, Locked]]:
    """Bring what is not here yet, of one challenge or of all."""
    wanted = sources_of(only) if only else list(sources())
    if not wanted:
        known = sorted({name for each in sources() for name in each.challenges})
        raise UsageError(f"mlrb has no challenge {only!r}", hint=f"it has: {', '.join(known)}")
    with locked(cache_folder("mlrb") / ".lock"):
        lacking = [each for each in wanted if each.name not in recorded() or missing([each.plain()])]
        if lacking:
            tell(f"about {sum(each.gb for each in lacking):.1f} GB to bring into {cache_folder('inputs')}")
        for each in lacking:
            tell(each.name)
            _bring(each, tell)
    lock = recorded()
    return [(each, lock[each.name]) for each in wanted]


def _bring(source: Source, tell: Tell) -> None:
    """One input; files that an earlier fetch brought whole are not brought again."""
    before = recorded().get(source.name)
    staging = cache_folder("mlrb") / "partial" / source.name
    if source.hub is not None:
        asked = (before.revision if before else None) or source.revision
        revision, files = hub_files(source.hub, asked, source.files, _kept_back(source))
    else:
        revision, files = None, plain_files(source.addresses)
    place = staging / (revision or "files")
    found = bring(files, place, lambda text: tell(f"  {text}"))
    other = [path for path in found if before and before.files.get(path) != found[path]]
    if other or (before and before.files.keys() != found.keys()):
        shutil.rmtree(staging)
        raise _changed(source, f"{', '.join(other[:3]) or 'its list of files'} differs")
    with tempfile.TemporaryDirectory(prefix=".whole-", dir=cache_folder("mlrb")) as scratch:
        whole = _finished(source, place, Path(scratch) / "input")
        sha256 = tree_hash(whole)
        for known in (source.sha256, before.sha256 if before else None):
            if known not in (None, sha256):
                raise _changed(source, f"it came out as {sha256}, known is {known}")
        keep_input(whole, move=True)
    record(source.name, Locked(sha256=sha256, revision=revision, files=found))
    shutil.rmtree(staging, ignore_errors=True)


def _kept_back(source: Source) -> list[str]:
    """What of the same repository is held, so that no file is both held and shown."""
    alike = [each for each in sources() if each.hub == source.hub and each.held and each.rows is None]
    return [] if source.held else [pattern for each in alike for pattern in each.files]


def _changed(source: Source, how: str) -> InputMissing:
    return InputMissing(
        f"input {source.name!r} is not what was fetched before: {how}",
        hint=f"its home serves other bytes now; if you want them, take {source.name!r} out of "
        f"{cache_folder('mlrb') / LOCK}",
    )


def _finished(source: Source, place: Path, target: Path) -> Path:
    """The folder that is kept: as it came, unpacked, or a part of its rows."""
    if source.rows is not None:
        target.mkdir()
        python = build_environment(SPLITTING) / "bin" / "python"
        command = [str(python), str(PROGRAM), str(place), source.rows, str(target)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise InputMissing(f"{source.name}: its rows cannot be read: {done.stderr.strip()[-300:]}")
        return target
    if not source.unpack:
        return place
    target.mkdir()
    for path in sorted(place.iterdir()):
        _unpack(path, target)
    return target


def _unpack(path: Path, target: Path) -> None:
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                archive.extractall(target)
        else:
            _untar(path, target)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        path.unlink()
        raise InputMissing(f"{path.name} cannot be unpacked: {error}", hint="fetch it again") from None


def _untar(path: Path, target: Path) -> None:
    """Unpack plain files, all that an input may hold (`filter="data"` is missing from Python 3.11.2)."""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isdir():
                continue
            place = target / member.name
            if not member.isfile() or not place.resolve().is_relative_to(target.resolve()):
                raise tarfile.TarError(f"{member.name!r} is no plain file inside the archive's own folder")
            place.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(member)
            assert content is not None, "a plain file has content"
            with content, place.open("wb") as written:
                shutil.copyfileobj(content, written)
