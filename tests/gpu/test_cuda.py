"""Real CUDA in real sandboxes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from assay.sandbox import Box, Confinement, Outcome, SandboxLimits, converse, examine, run_confined
from assay.sandbox.gpu.devices import gpu_numbers

pytestmark = pytest.mark.gpu

LIMITS = SandboxLimits(memory_mb=16_384, wall_seconds=120.0)
PRODUCT = """
import torch
left = torch.arange(1.0, 257.0, device="cuda").reshape(16, 16)
product = left @ torch.eye(16, device="cuda")
torch.cuda.synchronize()
print(torch.cuda.device_count(), int(product.sum().item()))
"""
SUM = sum(range(1, 257))
SERVER = """
import torch
print(int((torch.ones(8, device="cuda") * int(input())).sum().item()), flush=True)
"""
ASKER = """
import torch
print(int(torch.ones(2, device="cuda").sum().item()), flush=True)
open("got.txt", "w").write(input())
"""
CLOSED = """
import json, os
found = []
for root, folders, names in os.walk("/proc"):
    if root == "/proc":
        folders[:] = [name for name in folders if not name.isdigit() and name not in ("self", "thread-self")]
    for name in names:
        path = os.path.join(root, name)
        if os.path.islink(path):
            continue
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            found.append(path)
        except OSError:
            pass
print(json.dumps(found))
"""


def given(environment: Path, gpus: tuple[int, ...] | None = None) -> Confinement:
    return Confinement(environment=environment, gpu=True, gpus=gpus, limits=LIMITS)


def said(outcome: Outcome) -> str:
    assert outcome.returncode == 0, (outcome.exceeded, outcome.stderr.decode()[-2000:])
    return outcome.stdout.decode().strip()


def test_a_matrix_product_runs_in_a_fresh_sandbox(torch_environment: Path) -> None:
    outcome = asyncio.run(run_confined(given(torch_environment), ["python", "-c", PRODUCT]))
    assert said(outcome) == f"{len(gpu_numbers())} {SUM}"


def test_a_matrix_product_runs_in_a_box_that_is_watched(torch_environment: Path) -> None:
    async def go() -> Outcome:
        confinement = Confinement(environment=torch_environment, gpu=True, limits=LIMITS, watch=True)
        async with Box(confinement) as box:
            return await box.exec(["python", "-c", PRODUCT])

    assert said(asyncio.run(go())) == f"{len(gpu_numbers())} {SUM}"


def test_both_sides_of_a_conversation_compute_on_the_gpu(torch_environment: Path) -> None:
    side = given(torch_environment)
    commands = (["python", "-c", ASKER], ["python", "-c", SERVER])
    trusted, _ = asyncio.run(converse(side, commands[0], side, commands[1], collect=["got.txt"]))
    assert trusted.files == {"got.txt": b"16"}, trusted.stderr.decode()[-2000:]


def test_a_sandbox_sees_the_gpus_that_it_was_given_and_no_others(torch_environment: Path) -> None:
    numbers = gpu_numbers()
    for number in numbers:
        listing = "ls /dev | grep -E '^nvidia[0-9]+$'"
        confinement = given(torch_environment, (number,))
        command = ["/bin/sh", "-c", f"{listing}; python -c 'import torch; print(torch.cuda.device_count())'"]
        assert said(asyncio.run(run_confined(confinement, command))).split() == [f"nvidia{number}", "1"]


def test_a_sandbox_without_gpus_has_none(torch_environment: Path) -> None:
    confinement = Confinement(environment=torch_environment, limits=LIMITS)
    command = ["python", "-c", "import torch; print(torch.cuda.is_available())"]
    assert said(asyncio.run(run_confined(confinement, command))) == "False"


def test_kernel_settings_stay_closed_beside_a_gpu(torch_environment: Path) -> None:
    outcome = asyncio.run(run_confined(given(torch_environment), ["python", "-c", CLOSED]))
    assert json.loads(said(outcome)) == []


def test_doctor_sees_cuda_in_a_sandbox() -> None:
    check = next(check for check in examine() if check.name == "GPU")
    assert check.state == "ok", check
    assert "CUDA" in check.detail


HOLD = """
import sys, time, torch
kept = torch.ones(int(sys.argv[1]) << 18, device="cuda")
torch.cuda.synchronize()
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


def limited(environment: Path, gpu_memory_mb: int | None) -> Confinement:
    limits = SandboxLimits(memory_mb=16_384, wall_seconds=120.0, gpu_memory_mb=gpu_memory_mb)
    return Confinement(environment=environment, gpu=True, gpus=gpu_numbers()[:1], limits=limits)


def test_the_peak_of_gpu_memory_is_that_of_the_sandbox(torch_environment: Path) -> None:
    async def go() -> tuple[Outcome, Outcome]:
        async with Box(limited(torch_environment, None)) as other:
            await other.exec(["/bin/sh", "-c", 'python -c "$0" 4096 60 > held.txt 2>&1 &', HOLD])
            await other.exec(["/bin/sh", "-c", "until grep -q held held.txt; do sleep 0.1; done"])
            small = await run_confined(limited(torch_environment, None), ["python", "-c", HOLD, "1024", "2"])
            return small, await other.exec(["/bin/true"])

    small, large = asyncio.run(go())
    assert said(small) == "held"
    assert 1024 <= (small.gpu_peak_mb or 0) < 4096
    assert (large.gpu_peak_mb or 0) >= 4096


def test_a_command_that_exceeds_its_gpu_memory_is_ended(torch_environment: Path) -> None:
    command = ["python", "-c", HOLD, "4096", "60"]
    outcome = asyncio.run(run_confined(limited(torch_environment, 2048), command))
    assert outcome.exceeded == "GPU memory"
    assert outcome.seconds < 60
    assert (outcome.gpu_peak_mb or 0) > 2048


def test_a_box_ends_what_exceeds_its_gpu_memory_and_goes_on(torch_environment: Path) -> None:
    async def go() -> tuple[Outcome, Outcome]:
        async with Box(limited(torch_environment, 2048)) as box:
            over = await box.exec(["python", "-c", HOLD, "4096", "60"])
            return over, await box.exec(["/bin/echo", "alive"])

    over, after = asyncio.run(go())
    assert (over.exceeded, after.stdout, after.exceeded) == ("GPU memory", b"alive\n", None)
