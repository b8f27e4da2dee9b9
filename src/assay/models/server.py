"""The process that serves one GGUF file to every process of this user that asks for it.

Started by `assay.models.serving`, never by hand. It listens on loopback only, wants the key that it wrote
into its notice, and ends by itself within a second or so of the last user's end, however that one ended:
each user holds a shared lock, and once the server can have that lock alone nobody is left.
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
from assay.models.serving import Notice, Places

SLOTS = 2
"""conversations served at a time, each with a context of its own"""
PROMPT_CACHE_MIB = 256
LOOK_SECONDS = 0.5


def serve(gguf: Path, name: str, context: int, places: Places, *, own_template: bool = False) -> None:
    """Serve until nobody uses it."""
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
    places.announce(Notice(port=port, pid=os.getpid(), key=key))
    _wait_for_the_last_user(places)


def _wait_for_the_last_user(places: Places) -> None:
    with places.starting.open("ab") as starting, places.users.open("ab") as users:
        while True:
            time.sleep(LOOK_SECONDS)
            if locks.try_exclusive(starting):
                if locks.try_exclusive(users):
                    places.notice.unlink(missing_ok=True)
                    return
                locks.release(starting)


if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    serve(
        Path(order["gguf"]),
        order["name"],
        order["context"],
        Places(Path(order["folder"])),
        own_template=order["own_template"],
    )
    # llama.cpp's threads may still be at work; nothing of theirs needs keeping.
    os._exit(0)
