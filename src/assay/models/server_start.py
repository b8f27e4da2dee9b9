"""Finds or starts the server of a local model.

One server serves all processes of a user that share a cache. Its address file (port, pid, key) is in the
cache, readable only by that user. Each client process holds a shared lock until it ends;
`assay.models.server` describes how the server ends.
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
_user_locks: dict[Path, IO[bytes]] = {}
_server_processes: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class ServerAddress:
    """Port, process and key of a running server."""

    port: int
    pid: int
    key: str

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def alive(self) -> bool:
        """True if the port accepts connections: a pid could belong to a zombie or to another process."""
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True


@dataclass(frozen=True)
class ServerFiles:
    """The files through which clients and server of one model find each other."""

    folder: Path

    @property
    def address_file(self) -> Path:
        return self.folder / "notice.json"

    @property
    def start_lock(self) -> Path:
        return self.folder / "starting.lock"

    @property
    def user_lock(self) -> Path:
        return self.folder / "users.lock"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def publish(self, address: ServerAddress) -> None:
        publish(self.address_file, json.dumps(asdict(address)), private=True)

    def running_server_address(self) -> ServerAddress | None:
        """Return the address of a server that still runs, or None."""
        try:
            address = ServerAddress(**json.loads(self.address_file.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None
        return address if address.alive else None


def running_server(model: LocalModel, gguf: Path) -> ServerAddress:
    """Return the address of the model's server; start it if necessary; it runs until this process ends."""
    from assay.models import locks

    files = ServerFiles(cache_folder("models") / f"{model.name}-{model.version}.server")
    with locks.hold_exclusive(files.start_lock):
        if files.folder not in _user_locks:
            _user_locks[files.folder] = locks.hold_shared(files.user_lock)
        return files.running_server_address() or _start(model, gguf, files)


def _start(model: LocalModel, gguf: Path, files: ServerFiles) -> ServerAddress:
    files.address_file.unlink(missing_ok=True)
    arguments = {
        "gguf": str(gguf),
        "name": model.name,
        "context": model.served_context,
        "folder": str(files.folder),
        "own_template": model.own_template,
    }
    with files.log.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "assay.models.server", json.dumps(arguments)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # On a busy machine, threads that spin while they wait produced 4 to 16 times fewer tokens.
            env=os.environ | {"OMP_WAIT_POLICY": "passive"},
            # Only Inspect handles Ctrl-C, and it still needs answers while it finishes.
            start_new_session=True,
        )
    _server_processes.append(process)
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if address := files.running_server_address():
            return address
        time.sleep(0.05)
    process.kill()
    process.wait()
    last_line = files.log.read_text(errors="replace").strip().splitlines()[-1:]
    raise ModelUnavailable(
        f"the server of local/{model.name} did not start: {last_line[0] if last_line else 'no message'}",
        hint=f"its log is {files.log}; if the file is damaged: "
        + (f"`assay models pull {model.name}`" if model.package else "fetch it again"),
    )
