"""One budget of requests and tokens a minute for all processes of a run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.agents.request_rate import FolderRate, LastMinute, RateLimits

RESERVES = """
import sys
from pathlib import Path
from assay.agents.request_rate import FolderRate, RateLimits
rate = FolderRate(Path(sys.argv[1]))
print(sum(rate.reserve(RateLimits(requests=25)) == 0.0 for _ in range(20)))
"""


def test_a_request_waits_until_the_last_minute_has_room() -> None:
    window, limits = LastMinute(), RateLimits(requests=2)
    assert [window.reserve(limits, now) for now in (100.0, 130.0)] == [0.0, 0.0]
    assert window.reserve(limits, 140.0) == 20.0
    assert window.reserve(limits, 159.9) == pytest.approx(0.1)
    assert window.reserve(limits, 160.0) == 0.0
    assert window.reserve(limits, 161.0) == 29.0


def test_a_request_waits_while_the_answers_of_a_minute_have_used_all_tokens() -> None:
    window, limits = LastMinute(), RateLimits(tokens=1000)
    assert window.reserve(limits, 0.0) == 0.0
    window.add_tokens(600, 1.0)
    assert window.reserve(limits, 2.0) == 0.0
    window.add_tokens(600, 5.0)
    assert window.reserve(limits, 6.0) == 55.0
    assert window.reserve(limits, 61.0) == 0.0


def test_a_clock_that_was_set_back_blocks_nobody() -> None:
    window, limits = LastMinute(), RateLimits(requests=1)
    assert window.reserve(limits, 7200.0) == 0.0
    assert window.reserve(limits, 3600.0) == 0.0


def test_processes_that_share_a_folder_share_the_budget(tmp_path: Path) -> None:
    program = [sys.executable, "-c", RESERVES, str(tmp_path)]
    processes = [subprocess.Popen(program, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert sum(int(process.communicate()[0]) for process in processes) == 25
    assert 0.0 < FolderRate(tmp_path).reserve(RateLimits(requests=25)) <= 60.0
