"""Papers and repositories from outside: only where a task allows the host, through the sandbox's proxy."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolError
from inspect_ai.util import SandboxEnvironmentSpec

from assay.agents.supervisor.outside import outside_tools
from assay.sandbox.session.inspect_provider import BwrapConfig

FEED = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>http://arxiv.org/abs/2410.22553v1</id><published>2024-10-29T21:37:19Z</published>
<title>ML Research
 Benchmark</title><summary>Seven challenges.</summary>
<author><name>M. Kenney</name></author></entry></feed>"""


def names(*hosts: str) -> list[str]:
    return [each.name for each in outside_tools(hosts)]


def test_tools_appear_with_the_hosts_that_they_need() -> None:
    assert names() == []
    assert names("pypi.org") == ["fetch_url"]
    assert names("*.arxiv.org") == ["fetch_url", "search_papers", "paper_details"]
    assert names("raw.githubusercontent.com") == ["fetch_url", "read_github"]
    assert names("raw.githubusercontent.com:8443") == ["fetch_url"]


class Outside(BaseHTTPRequestHandler):
    """arXiv's search and GitHub's raw files, as far as they are asked here."""

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        known = {"/owner/name/HEAD/src/a%20b.py": "print('hello')", "/long": "x" * 50_000}
        answer = known.get(asked.path)
        if asked.path == "/api/query":
            query = parse_qs(asked.query)
            right = query.get("search_query") == ["all:research AND all:benchmark"] or "id_list" in query
            answer = FEED if right else "not a feed"
        self.send_response(200 if answer is not None else 404)
        self.end_headers()
        self.wfile.write((answer or "").encode())

    def log_message(self, format: str, *args: object) -> None:
        """Be quiet."""


@contextmanager
def outside() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Outside)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def test_requests_go_through_the_proxy_and_refusals_are_errors(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with outside() as port:
        here = f"localhost:{port}"

        @solver
        def asking() -> Solver:
            async def solve(state: TaskState, generate: Generate) -> TaskState:
                address = f"http://{here}"
                tools = {
                    each.name: each.tool for each in outside_tools([here], arxiv=address, github=address)
                }

                async def said(name: str, **arguments: object) -> str:
                    try:
                        return str(await tools[name](**arguments))
                    except ToolError as error:
                        return f"error: {error.message}"

                state.metadata["said"] = json.dumps(
                    {
                        "search": await said("search_papers", query="research benchmark"),
                        "malformed": await said("search_papers", query="other"),
                        "details": await said("paper_details", identifier="2410.22553"),
                        "github": await said("read_github", repository="owner/name", path="src/a b.py"),
                        "absent": await said("read_github", repository="owner/name", path="absent"),
                        "bare": await said("read_github", repository="name"),
                        "long": await said("fetch_url", url=f"{address}/long"),
                        "saved": await said("fetch_url", url=f"{address}/long", file="data/long.txt"),
                        "refused": await said("fetch_url", url="http://example.org/"),
                        "local": await said("fetch_url", url="file:///etc/passwd"),
                    }
                )
                return state

            return solve

        # Clients pass loopback by without a proxy unless told; here it stands for a host far away.
        config = BwrapConfig(allowed_hosts=(here,), variables={"NO_PROXY": "", "no_proxy": ""})
        log = eval(
            Task(dataset=[Sample(input="look")], solver=asking()),
            model="mockllm/model",
            sandbox=SandboxEnvironmentSpec("bwrap", config),
            display="none",
            log_dir=str(tmp_path_factory.mktemp("logs")),
        )[0]
    assert log.status == "success", log.error
    said = json.loads((log.samples or [])[0].metadata["said"])
    assert said["search"].splitlines()[0] == "ML Research Benchmark"
    assert "M. Kenney; 2024-10-29; http://arxiv.org/abs/2410.22553v1" in said["search"]
    assert "cannot be read" in said["malformed"]
    assert "Seven challenges." in said["details"]
    assert said["github"] == "print('hello')"
    assert "404" in said["absent"]
    assert "expected owner/name" in said["bare"]
    assert "38,000 characters left out" in said["long"]
    assert said["saved"] == "saved as /workspace/data/long.txt"
    assert said["refused"].startswith("error: http://example.org/ was not fetched")
    assert said["local"].startswith("error: the address is 'file:///etc/passwd'")
