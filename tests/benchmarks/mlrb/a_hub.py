"""A hub on this machine: it answers the addresses that the real one has, and can be told to fail."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit


class Hub:
    """Repositories by kind and name, plain files by path."""

    def __init__(self) -> None:
        self.repositories: dict[str, dict[str, dict[str, bytes]]] = {}
        """models/owner/name → commit → files; the last commit is main's."""
        self.plain: dict[str, bytes] = {}
        self.cut: set[str] = set()
        """Paths whose download breaks off halfway."""
        self.asked: list[tuple[str, str | None]] = []
        """Every path that was asked for, and the token that came with it."""
        self.address = ""

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        place = unquote(urlsplit(path).path)
        commits = [(name, *each) for name, found in self.repositories.items() for each in found.items()]
        for repository, commit, files in commits:
            told = f"/api/{repository}/revision/"
            main = commit == list(self.repositories[repository])[-1]
            if place == f"{told}{commit}" or (main and place == f"{told}main"):
                return 200, {}, json.dumps(self._told(commit, files)).encode()
            prefix = f"/{repository.removeprefix('models/')}/resolve/{commit}/"
            if place.startswith(prefix) and place.removeprefix(prefix) in files:
                # Large files come from elsewhere, as they do from the hub.
                elsewhere = self.address.replace("127.0.0.1", "localhost")
                name = place.removeprefix(prefix)
                self.plain[f"/cdn/{commit}/{name}"] = files[name]
                return 302, {"Location": f"{elsewhere}/cdn/{commit}/{name}"}, b""
        return (200, {}, self.plain[place]) if place in self.plain else (404, {}, b"not here")

    def _told(self, commit: str, files: dict[str, bytes]) -> dict[str, Any]:
        siblings = [
            {"rfilename": name, "size": len(data), "lfs": {"sha256": hashlib.sha256(data).hexdigest()}}
            if name.endswith((".safetensors", ".parquet"))
            else {"rfilename": name, "size": len(data)}
            for name, data in files.items()
        ]
        return {"sha": commit, "siblings": [*siblings, {"rfilename": ".gitattributes", "size": 1}]}

    def count(self, ending: str) -> int:
        return sum(path.endswith(ending) for path, _ in self.asked if path.startswith("/cdn/"))


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.asked.append((self.path, self.headers.get("Authorization")))
            code, headers, body = hub.answer(self.path)
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            broken = any(self.path.endswith(name) for name in hub.cut)
            self.wfile.write(body[: len(body) // 2] if broken and code == 200 else body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    hub.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub.address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
