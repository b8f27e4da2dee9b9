"""Downloads the inputs of the full tier into the store; the first fetch locks their hashes."""

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
"""The requirements of `split_rows.py`."""
PROGRAM = Path(__file__).with_name("split_rows.py")


def fetch(challenge: str | None, tell: Tell) -> list[tuple[Source, Locked]]:
    """Download the missing inputs of one challenge or of all."""
    selected = sources_of(challenge) if challenge else list(sources())
    if not selected:
        challenges = sorted({name for source in sources() for name in source.challenges})
        raise UsageError(f"mlrb has no challenge {challenge!r}", hint=f"it has: {', '.join(challenges)}")
    with locked(cache_folder("mlrb") / ".lock"):
        missing_sources = [
            source for source in selected if source.name not in recorded() or missing([source.plain()])
        ]
        if missing_sources:
            gigabytes = sum(source.gb for source in missing_sources)
            tell(f"about {gigabytes:.1f} GB to download into {cache_folder('inputs')}")
        for source in missing_sources:
            tell(source.name)
            _bring(source, tell)
    lock = recorded()
    return [(source, lock[source.name]) for source in selected]


def _bring(source: Source, tell: Tell) -> None:
    """Download one input; complete files of an earlier fetch are not downloaded again."""
    old_lock = recorded().get(source.name)
    staging = cache_folder("mlrb") / "partial" / source.name
    if source.hub is not None:
        wanted_revision = (old_lock.revision if old_lock else None) or source.revision
        revision, files = hub_files(source.hub, wanted_revision, source.files, _held_patterns(source))
    else:
        revision, files = None, plain_files(source.addresses)
    place = staging / (revision or "files")
    digests = bring(files, place, lambda text: tell(f"  {text}"))
    changed = [path for path in digests if old_lock and old_lock.files.get(path) != digests[path]]
    if changed or (old_lock and old_lock.files.keys() != digests.keys()):
        shutil.rmtree(staging)
        raise _changed(source, f"{', '.join(changed[:3]) or 'its list of files'} differs")
    with tempfile.TemporaryDirectory(prefix=".whole-", dir=cache_folder("mlrb")) as scratch:
        folder = _finish(source, place, Path(scratch) / "input")
        sha256 = tree_hash(folder)
        for expected in (source.sha256, old_lock.sha256 if old_lock else None):
            if expected not in (None, sha256):
                raise _changed(source, f"its hash is {sha256}, expected {expected}")
        keep_input(folder, move=True)
    record(source.name, Locked(sha256=sha256, revision=revision, files=digests))
    shutil.rmtree(staging, ignore_errors=True)


def _held_patterns(source: Source) -> list[str]:
    """Return the patterns of held files in the same repository: no file may be both held and shown."""
    held_sources = [
        other_source
        for other_source in sources()
        if other_source.hub == source.hub and other_source.held and other_source.rows is None
    ]
    return [] if source.held else [pattern for other_source in held_sources for pattern in other_source.files]


def _changed(source: Source, difference: str) -> InputMissing:
    return InputMissing(
        f"input {source.name!r} differs from the earlier fetch: {difference}",
        hint=f"its home now serves other bytes; if you want them, remove {source.name!r} from "
        f"{cache_folder('mlrb') / LOCK}",
    )


def _finish(source: Source, place: Path, target: Path) -> Path:
    """Return the folder to keep: unchanged, unpacked, or with a part of its rows."""
    if source.rows is not None:
        target.mkdir()
        python = build_environment(SPLITTING) / "bin" / "python"
        command = [str(python), str(PROGRAM), str(place), source.rows, str(target)]
        process = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if process.returncode != 0:
            raise InputMissing(f"{source.name}: its rows cannot be read: {process.stderr.strip()[-300:]}")
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
    """Unpack plain files, as an input may contain no others (Python 3.11.2 has no `filter="data"`)."""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isdir():
                continue
            place = target / member.name
            if not member.isfile() or not place.resolve().is_relative_to(target.resolve()):
                raise tarfile.TarError(f"{member.name!r} is not a plain file inside the archive's folder")
            place.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(member)
            assert content is not None, "a plain file has content"
            with content, place.open("wb") as written:
                shutil.copyfileobj(content, written)
