"""A model that answers from a script, over real HTTP, as OpenAI's services do.

Tests, and anyone trying an agent without a key, drive it through Inspect's provider for any OpenAI-compatible
address:

    with ScriptedServer([call("bash", command="ls"), failure(429), "done"]) as server:
        model = get_model("openai-api/scripted/any", base_url=server.base_url, api_key="none")

or from another process, with `server.environment` in its environment and `--model openai-api/scripted/any`.
It answers chat completions and, without streaming, responses: with OPENAI_BASE_URL and OPENAI_API_KEY set,
`--model openai/gpt-5` works too.
A script is a sequence, consumed in the order of the requests; `by_turn(sequence)`, where each conversation
starts from the beginning; or a function from the messages to a reply. The server sends usage unless a reply
says no, and stores every request in `server.requests`. From the command line, with one JSON reply a line:

    python -m assay.models.scripted FILE.jsonl --port 8000 [--by-turn]

It does not read sampling parameters, and a "token" here is four characters.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from assay.errors import AssayError
from assay.models.chat_completions import chat_completion, error_body, stream_chunks
from assay.models.probe import PROBE
from assay.models.replies import (
    Call,
    Message,
    Reply,
    Script,
    by_turn,
    call,
    failure,
    load_replies,
    script_ended,
)
from assay.models.responses_format import chat_messages, model_response

INSPECT_PROBE = "Please say 'hello, world'"
"""With this, Inspect asks a reasoning model of OpenAI once whether it returns summaries."""

__all__ = ["Call", "Message", "Reply", "Script", "ScriptedServer", "by_turn", "call", "failure"]


class ScriptedServer:
    """Serves a script on loopback during its `with` block."""

    def __init__(self, script: Script, *, port: int = 0) -> None:
        self.requests: list[dict[str, Any]] = []
        self._script = script
        self._lock = threading.Lock()
        self._served = 0
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._http.daemon_threads = True

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which Inspect finds `openai-api/scripted/…` here."""
        return {"SCRIPTED_BASE_URL": self.base_url, "SCRIPTED_API_KEY": "none"}

    def reply(self, request: dict[str, Any]) -> Reply:
        """Record the request and return the script's next reply; probes before a run take none."""
        if [message.get("content") for message in request["messages"]] in ([PROBE], [INSPECT_PROBE]):
            return Reply(text="OK")
        with self._lock:
            self.requests.append(request)
            answer = self._next(request["messages"])
        return Reply(text=answer) if isinstance(answer, str) else answer

    def _next(self, messages: list[Message]) -> str | Reply:
        if callable(self._script):
            return self._script(messages)
        self._served += 1
        return (
            self._script[self._served - 1]
            if self._served <= len(self._script)
            else script_ended(len(self._script))
        )

    def serve(self) -> None:
        """Serve in this thread until interrupted."""
        self._http.serve_forever(poll_interval=0.05)

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()


def _handler(script: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            is_response = self.path.endswith("/responses")
            if not is_response and not self.path.endswith("/chat/completions"):
                offered = "this server offers only chat completions and responses"
                self._send(404, error_body(404, f"{offered}, not {self.path}"))
                return
            try:
                request = json.loads(body)
                if is_response:
                    request["messages"] = chat_messages(request)
                if is_response and request.get("stream"):
                    self._send(400, error_body(400, "responses are not streamed", parameter="stream"))
                    return
                reply = script.reply(request)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                self._send(400, error_body(400, f"not a request of the format of {self.path}: {error!r}"))
                return
            time.sleep(reply.delay)
            if reply.body is not None:
                self._send_bytes(reply.status, "application/json", reply.body)
            elif reply.status != 200:
                self._send(reply.status, error_body(reply.status, reply.text))
            elif is_response:
                self._send(200, model_response(request, reply))
            elif request.get("stream"):
                self._send_stream(chat_completion(request, reply))
            else:
                completion = chat_completion(request, reply)
                if not reply.states_usage:
                    del completion["usage"]
                self._send(200, completion)

        def _send(self, status: int, content: dict[str, Any]) -> None:
            self._send_bytes(status, "application/json", json.dumps(content).encode())

        def _send_stream(self, completion_body: dict[str, Any]) -> None:
            events = [f"data: {json.dumps(chunk)}\n\n" for chunk in stream_chunks(completion_body)]
            self._send_bytes(200, "text/event-stream", "".join([*events, "data: [DONE]\n\n"]).encode())

        def _send_bytes(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            if status == 429:
                self.send_header("Retry-After-Ms", "10")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    return Handler


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a script from a file until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m assay.models.scripted", description="A scripted model.")
    parser.add_argument("file", type=Path, help="one JSON reply on each line")
    parser.add_argument("--port", type=int, default=0, help="0 chooses a free port")
    parser.add_argument("--by-turn", action="store_true", help="each conversation starts from the beginning")
    options = parser.parse_args(arguments)
    try:
        replies = load_replies(options.file)
    except (AssayError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    server = ScriptedServer(by_turn(replies) if options.by_turn else replies, port=options.port)
    print(server.base_url, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
