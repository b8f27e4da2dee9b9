"""GPUs are handed out one by one, within a process and between processes, whether or not there are any."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.sandbox.gpu.devices import gpu_numbers
from assay.sandbox.gpu.pool import leased_gpus, take_gpus, try_gpus

HOLD = """
import sys
from assay.sandbox.gpu.pool import try_gpus
lease = try_gpus((0, 1), 1)
print(lease.gpus[0], flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks of this test alone, and two GPUs."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("ASSAY_GPUS", "0, 1")


def taken(count: int, *, shared: bool = False) -> tuple[int, ...] | None:
    """What is free now; released at once."""
    lease = try_gpus(gpu_numbers(), count, shared=shared)
    if lease is None:
        return None
    lease.release()
    return lease.gpus


def test_two_leases_never_hold_the_same_gpu() -> None:
    first, second = try_gpus((0, 1), 1), try_gpus((0, 1), 1)
    assert first is not None
    assert second is not None
    assert (first.gpus, second.gpus) == ((0,), (1,))
    assert taken(1) is None
    first.release()
    assert taken(1) == (0,)
    second.release()


def test_who_needs_two_takes_none_while_one_is_in_use() -> None:
    one = try_gpus((0, 1), 1)
    assert one is not None
    assert taken(2) is None
    assert taken(1) == (1,)
    one.release()
    assert taken(2) == (0, 1)


def test_only_those_who_both_allow_it_share_a_gpu_and_free_ones_go_first() -> None:
    leases = [try_gpus((0, 1), 1, shared=True) for _ in range(3)]
    held = [lease for lease in leases if lease is not None]
    assert [lease.gpus for lease in held] == [(0,), (1,), (0,)]
    assert taken(1) is None
    for lease in held:
        lease.release()
    alone = try_gpus((0,), 1)
    assert alone is not None
    assert try_gpus((0,), 1, shared=True) is None
    alone.release()


def test_the_pool_holds_between_processes_and_a_killed_one_gives_its_gpu_back() -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    try:
        held = sorted(process.stdout.readline().strip() for process in processes if process.stdout)
        assert held == ["0", "1"]
        assert taken(1) is None
        processes[0].kill()
        processes[0].wait()
        lease = asyncio.run(asyncio.wait_for(take_gpus(1), 30))
        assert len(lease.gpus) == 1
        lease.release()
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_who_holds_gpus_gets_the_same_ones_again_instead_of_waiting_for_itself() -> None:
    async def nested() -> tuple[tuple[int, ...], tuple[int, ...]]:
        async with leased_gpus(2) as outer, leased_gpus(1) as inner:
            return outer.gpus, inner.gpus

    assert asyncio.run(asyncio.wait_for(nested(), 30)) == ((0, 1), (0, 1))
    assert taken(2) == (0, 1)


def test_a_machine_gives_all_it_has_and_the_lease_says_that_more_were_wanted() -> None:
    lease = asyncio.run(asyncio.wait_for(take_gpus(8), 30))
    told = lease.as_log(peak_mb=12.6)
    lease.release()
    assert (told["gpus"], told["wanted"], told["peak_mb"]) == ([0, 1], 8, 13)


def test_without_gpus_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_GPUS", "")
    assert asyncio.run(asyncio.wait_for(take_gpus(1), 30)).gpus == ()


def test_gpus_that_are_no_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_GPUS", "all")
    with pytest.raises(UsageError, match="expected the numbers of GPUs"):
        gpu_numbers()
