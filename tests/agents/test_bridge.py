"""Command-line agents over the bridge: unmodified programs, the model of the run, no key inside."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.agents import Budget, find_agent, set_options
from assay.errors import UsageError
from assay.models.scripted import by_turn, call, failure
from tests.agents.attempts import CHEAPEST, demo_task, read_attempts
from tests.agents.conftest import MODEL, Try
from tests.tasks.examples import GOLD

PROGRAM = '''#!/usr/bin/env python3
import json, os, subprocess, sys, urllib.request

messages = [{"role": "user", "content": sys.argv[1]}]
while True:
    body = json.dumps({"model": os.environ["ASSAY_MODEL"], "messages": messages}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    answer = urllib.request.urlopen(urllib.request.Request(address, body, headers)).read()
    said = json.loads(answer)["choices"][0]["message"]["content"]
    messages.append({"role": "assistant", "content": said})
    if said == "done":
        break
    done = subprocess.run(said, shell=True, capture_output=True, text=True)
    messages.append({"role": "user", "content": done.stdout + done.stderr})
'''
"""A whole command-line agent, which knows nothing of Assay or Inspect."""
WRITE = f"cat > steps.py <<'END'\n{GOLD.decode()}END\necho written"


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """The agent's name, its program in a folder of its own."""
    program = tmp_path / "tools" / "bin" / "tiny"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return f"bridge[folder={program.parents[1]}]:tiny {{instruction}}"


def test_a_program_solves_a_task_with_the_model_of_the_run(
    agent: str, attempt: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPTED_API_KEY", "the-key-of-this-run-0123456789")
    look = "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; ls -d bin; touch $(dirname $(command -v tiny))/x"
    tried = attempt(agent, by_turn([look, WRITE, "done"]))
    assert tried.passed
    assert tried.log.eval.metadata["assay"]["agent"] == "tiny"
    seen = tried.asked(1)
    assert "OPENAI_API_KEY=none" in seen
    assert "Read-only file system" in seen
    assert "the-key-of-this-run-0123456789" not in "".join(map(str, tried.requests))
    assert "written" in tried.asked(2)
    (usage,) = tried.sample.model_usage.values()
    assert usage.total_tokens > 100
    assert tried.sample.metadata["command"] == "exit 0"


def test_limits_bind_and_what_is_there_is_graded(agent: str, attempt: Try) -> None:
    tried = attempt(agent, by_turn([WRITE, *["echo more"] * 20]), Budget(turns=2))
    assert tried.score["limit"] == "turn"
    assert len(tried.requests) <= 3
    assert tried.passed
