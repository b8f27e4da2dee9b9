"""Finding or starting the server of a local model.

One server serves all processes of a user that share a cache. Its notice (port, pid, key) lies in the cache,
readable by that user only. Whoever wants it holds a shared lock for as long as it lives; see
`assay.models.server` for how the server ends.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from assay.cache import cache_folder
from assay.errors import ModelUnavailable
from assay.files import publish
from assay.models.catalogue import LocalModel

START_SECONDS = 120.0
_held: dict[Path, IO[bytes]] = {}
_started: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Notice:
    """Where a running server is reached."""

    port: int
    pid: int
    key: str

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def alive(self) -> bool:
        """Whether something listens there: a pid would also be that of a zombie, or be used again."""
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True


@dataclass(frozen=True)
class Places:
    """The files by which users and server of one model find each other."""

    folder: Path

    @property
    def notice(self) -> Path:
        return self.folder / "notice.json"

    @property
    def starting(self) -> Path:
        return self.folder / "starting.lock"

    @property
    def users(self) -> Path:
        return self.folder / "users.lock"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def announce(self, notice: Notice) -> None:
        publish(self.notice, json.dumps(asdict(notice)), private=True)

    def running(self) -> Notice | None:
        """The notice of a server that still lives."""
        try:
            notice = Notice(**json.loads(self.notice.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None
        return notice if notice.alive else None


def running_server(model: LocalModel, gguf: Path) -> Notice:
    """The model's server, started if need be, and kept until this process ends."""
    from assay.models import locks

    places = Places(cache_folder("models") / f"{model.name}-{model.version}.server")
    with locks.exclusive(places.starting):
        if places.folder not in _held:
            _held[places.folder] = locks.shared(places.users)
        return places.running() or _start(model, gguf, places)


def _start(model: LocalModel, gguf: Path, places: Places) -> Notice:
    places.notice.unlink(missing_ok=True)
    order = {
        "gguf": str(gguf),
        "name": model.name,
        "context": model.served_context,
        "folder": str(places.folder),
        "own_template": model.own_template,
    }
    with places.log.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "assay.models.server", json.dumps(order)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # On a crowded machine, threads that spin while they wait wrote 4 to 16 times fewer tokens.
            env=os.environ | {"OMP_WAIT_POLICY": "passive"},
            # Ctrl-C is for Inspect, which still wants answers while it finishes what it has.
            start_new_session=True,
        )
    _started.append(process)
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if notice := places.running():
            return notice
        time.sleep(0.05)
    process.kill()
    process.wait()
    last = places.log.read_text(errors="replace").strip().splitlines()[-1:]
    raise ModelUnavailable(
        f"the server of local/{model.name} did not start: {last[0] if last else 'it said nothing'}",
        hint=f"its output is in {places.log}; if the file is damaged: "
        + (f"`assay models pull {model.name}`" if model.package else "fetch it again"),
    )
