"""The process that serves one GGUF file to all processes of this user.

`assay.models.server_start` starts it, never a person. It listens only on loopback, requires the key that it
wrote into its address file, and ends by itself about a second after its last user: each user holds a shared
lock, and when the server gets that lock exclusively, no user remains.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from assay.models import locks
from assay.models.server_start import ServerAddress, ServerFiles

SLOTS = 2
"""concurrent conversations, each with its own context"""
PROMPT_CACHE_MIB = 256
POLL_SECONDS = 0.5


def serve(gguf: Path, name: str, context: int, files: ServerFiles, *, own_template: bool = False) -> None:
    """Serve until no user remains."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(gguf)
    parameters.model_alias = {name}
    parameters.n_ctx = context * SLOTS
    parameters.n_parallel = SLOTS
    parameters.cache_ram_mib = PROMPT_CACHE_MIB
    parameters.use_jinja = True
    if not own_template:
        parameters.chat_template = Path(__file__).with_name("chat_template.jinja").read_text("utf-8")
    parameters.ui = False
    parameters.verbosity = 1
    key = secrets.token_urlsafe(24)
    parameters.api_keys = [key]
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(parameters)
    port = urlsplit(server.listening_address).port
    assert port is not None
    files.publish(ServerAddress(port=port, pid=os.getpid(), key=key))
    _wait_for_last_user(files)


def _wait_for_last_user(files: ServerFiles) -> None:
    with files.start_lock.open("ab") as starting, files.user_lock.open("ab") as users:
        while True:
            time.sleep(POLL_SECONDS)
            if locks.try_exclusive(starting):
                if locks.try_exclusive(users):
                    files.address_file.unlink(missing_ok=True)
                    return
                locks.release(starting)


if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    serve(
        Path(order["gguf"]),
        order["name"],
        order["context"],
        ServerFiles(Path(order["folder"])),
        own_template=order["own_template"],
    )
    # llama.cpp's threads may still run; none of their state matters.
    os._exit(0)
