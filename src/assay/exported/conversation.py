"""An evaluator and the servers that it asks, a fresh one whenever it writes the token."""

from __future__ import annotations

import os
import secrets
import select
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.exported.bench import Ended, copy, limited
from assay.exported.room import Room
from assay.exported.usage import MemorySamples
from assay.exported.users import NotIsolated
from assay.rules.challenge import FRESH_SERVER


class Conversation:
    """Splices the pipes of one evaluator and of one server after another."""

    def __init__(self, room: Room, artefacts: Path) -> None:
        self.room, self.challenge, self.artefacts = room, room.task.challenge, artefacts
        self.bench, self.token = room.bench, b"\x02" + secrets.token_hex(16).encode()
        self.current: subprocess.Popen[bytes] | None = None
        self.samples: MemorySamples | None = None
        self.exceeded: str | None = None
        """The limit that a server broke."""

    def hold(self, command: list[str], folder: Path, stderr: Any) -> Ended:
        """How the evaluator ended."""
        evaluator = self.bench.start(
            command,
            folder,
            runs_as="verifier",
            variables={FRESH_SERVER: self.token.decode()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
        thread = threading.Thread(target=self.relay_or_close, args=(evaluator,), daemon=True)
        thread.start()
        try:
            evaluator.wait(self.challenge.evaluate_seconds)
            timed_out = False
            thread.join(10.0)  # so that it reads how much memory the last server used before all are ended
        except subprocess.TimeoutExpired:
            timed_out = True
        ended = self.bench.end(evaluator, 0.0)
        thread.join(10.0)
        return ended._replace(timed_out=timed_out)

    def relay_or_close(self, evaluator: subprocess.Popen[bytes]) -> None:
        """Let the evaluator's input end where no server can be kept apart; the bench knows the reason."""
        try:
            self.relay(evaluator)
        except NotIsolated:
            if evaluator.stdin is not None:
                evaluator.stdin.close()

    def relay(self, evaluator: subprocess.Popen[bytes]) -> None:
        """Hand on what the evaluator asks, to one server after another."""
        assert evaluator.stdout is not None
        assert evaluator.stdin is not None
        server, answers = self.serve(evaluator)
        for data in self.pieces(evaluator.stdout.fileno()):
            if data != self.token:
                with suppress(OSError):
                    send(server.stdin, data)
                continue
            self.current = None
            self.finish(server)
            answers.join()
            with suppress(OSError, ValueError):
                send(evaluator.stdin, b"\n" + self.token + b"\n")
            server, answers = self.serve(evaluator)
        self.finish(server)

    def finish(self, server: subprocess.Popen[bytes]) -> None:
        """End a server, and note a limit that it broke."""
        sampled_mb = 0.0 if self.samples is None else self.samples.stop()
        ended = self.bench.end(server, 0.0)
        if max(ended.peak_mb, sampled_mb) > self.challenge.serve_memory_mb:
            self.exceeded = "memory"
        elif ended.is_over(self.challenge.serve_seconds):
            self.exceeded = "processor time"
        self.bench.working_folder()

    def pieces(self, source: int) -> Iterator[bytes]:
        """The bytes of a descriptor, the token always by itself."""
        waiting = b""
        while data := os.read(source, 1 << 16):
            waiting += data
            # The token comes in one write of its own: where its first byte stands at the end, wait a moment.
            if self.token[:1] in waiting[-len(self.token) :] and self.token not in waiting:
                select.select([source], [], [], 0.1)
                waiting += os.read(source, 1 << 16) if select.select([source], [], [], 0)[0] else b""
            start, token, waiting = waiting.partition(self.token)
            yield from (part for part in (start, token) if part)

    def serve(self, evaluator: subprocess.Popen[bytes]) -> tuple[subprocess.Popen[bytes], threading.Thread]:
        """A fresh server, and the thread that hands its answers on."""
        folder = copy(self.room.clean, self.bench.working_folder(), self.challenge.serve_files)
        copy(self.artefacts, folder, self.challenge.serve_files)
        command = limited(self.challenge.serve, self.challenge.serve_seconds)
        server = self.bench.start(
            command, folder, runs_as=self.room.runs_as, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.current, self.samples = server, self.bench.sample_memory(server)
        answers = threading.Thread(target=self.hand_on, args=(server, evaluator.stdin), daemon=True)
        answers.start()
        return server, answers

    def hand_on(self, server: subprocess.Popen[bytes], target: Any) -> None:
        """Copy a server's answers until it ends; if nobody ended it, the evaluator's input ends too."""
        with suppress(OSError, ValueError):
            while server.stdout and (data := os.read(server.stdout.fileno(), 1 << 16)):
                send(target, data)
            if self.current is server:
                target.close()


def send(target: Any, data: bytes) -> None:
    """Write all of some bytes at once."""
    target.write(data)
    target.flush()
