"""How attempts become batches, and what a batch asks a cluster for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.agents import Budget
from assay.errors import UsageError
from assay.evaluation import PlannedAttempt, Settings
from assay.evaluation.engines import choose_engine
from assay.evaluation.engines.batches import HARNESS_MB, Batch, make_batches, request_of
from assay.evaluation.engines.ray_engine import ray_resources
from assay.evaluation.engines.slurm_commands import array_script, parse_options, states_of
from assay.evaluation.models import NO_MODEL
from assay.tasks import Task, TaskConfig
from tests.tasks.examples import masked_task


def task_with(id: str, **machine: int) -> Task:
    """A toy task on a machine of this size."""
    task = masked_task(id=id)
    fields = task.config.model_dump()
    fields["environment"] |= machine
    return task.model_copy(update={"config": TaskConfig.model_validate(fields)})


@given(st.integers(1, 7), st.integers(1, 4), st.integers(1, 9))
def test_batches_hold_every_attempt_once_and_mix_no_needs(tasks: int, epochs: int, size: int) -> None:
    toys = [task_with(f"toy_{number}", cpus=1 + number % 2) for number in range(tasks)]
    attempts = [
        PlannedAttempt(agent, NO_MODEL, toy.id, number)
        for agent in ("oracle", "idle")
        for number in range(epochs)
        for toy in toys
    ]
    batches = make_batches(toys, Settings(), attempts, size)
    assert Counter(attempt for batch in batches for attempt in batch.attempts) == Counter(attempts)
    assert [batch.number for batch in batches] == list(range(len(batches)))
    cores = {toy.id: toy.config.environment.cpus for toy in toys}
    for batch in batches:
        assert {cores[attempt.task] for attempt in batch.attempts} == {batch.request.cores}
        assert len({attempt.agent for attempt in batch.attempts}) == 1
        assert 1 <= len(batch.attempts) <= size


def test_a_long_attempt_of_a_model_has_a_batch_of_its_own() -> None:
    toy = masked_task(id="toy_0")
    attempts = [PlannedAttempt("react", "openai/any", "toy_0", number) for number in range(4)]
    assert [len(batch.attempts) for batch in make_batches([toy], Settings(), attempts)] == [1, 1, 1, 1]
    quick = Settings(budget=Budget(seconds=300))
    assert [len(batch.attempts) for batch in make_batches([toy], quick, attempts)] == [2, 2]


def test_needs_become_the_request_of_each_engine() -> None:
    toy = task_with("toy_0", cpus=4, memory_mb=8192, gpus=2)
    request = request_of(toy, Settings(budget=Budget(seconds=3600)))
    assert ray_resources(request) == {"num_cpus": 4, "memory": (8192 + HARNESS_MB) << 20, "num_gpus": 2}
    batch = Batch(0, request, (PlannedAttempt("react", "openai/any", "toy_0", 1),))
    script = array_script(Path("/shared/run"), 3, [batch, batch], {"partition": "gpu", "time": "04:00:00"})
    lines = script.splitlines()
    for line in (
        "#SBATCH --array=0-1",
        "#SBATCH --cpus-per-task=4",
        "#SBATCH --mem=9216M",
        "#SBATCH --gres=gpu:2",
        "#SBATCH --partition=gpu",
        "#SBATCH --time=04:00:00",
        "#SBATCH --signal=B:USR1@600",
    ):
        assert line in lines
    assert lines[-1].endswith('slurm_worker /shared/run 3 "$SLURM_ARRAY_TASK_ID"')


def test_a_gpu_is_divided_only_where_the_task_allows_it() -> None:
    toy = task_with("toy_0", gpus=1)
    request = request_of(toy, Settings())
    assert ray_resources(request)["num_gpus"] == 1
    shared = masked_task(id="toy_0", resources={"gpus_shared": True, "gpu_memory_mb": 4000})
    fields = shared.config.model_dump()
    fields["environment"] |= {"gpus": 1}
    shared = shared.model_copy(update={"config": TaskConfig.model_validate(fields)})
    assert ray_resources(request_of(shared, Settings()))["num_gpus"] == 0.5


@pytest.mark.parametrize("text", ["partition", "=gpu", "time=", "a;b=1"])
def test_options_of_slurm_that_are_not_name_and_value_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected NAME=VALUE"):
        parse_options(text)


def test_a_command_of_slurm_that_cannot_start_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver asks again: its jobs go on although this machine starts no process just now."""
    (tmp_path / "squeue").write_text("not a program")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConnectionError, match="Permission denied"):
        states_of(["1"])


def test_an_unknown_engine_and_options_of_another_engine_are_refused() -> None:
    with pytest.raises(UsageError, match="there is no engine 'moon'"):
        choose_engine("moon")
    with pytest.raises(UsageError, match="processes is 2"):
        choose_engine("slurm", 2)
    with pytest.raises(UsageError, match="--slurm is for --on slurm"):
        choose_engine("ray", slurm="time=60")
