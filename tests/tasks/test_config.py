"""task.toml's tables: what is read back, and what is refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from assay.tasks import Printed, Run, Variation


def test_used_fields_are_written_and_read_back() -> None:
    run = Run(command="x", printed=[Printed(name="loss", pattern=r"loss (\S+)", count=2)])
    assert Run.model_validate_json(run.model_dump_json()) == run
    assert run.written == []
    varied = Variation(name="other", command="x --seed 3")
    assert Variation.model_validate(varied.model_dump()) == varied


def test_a_run_without_numbers_and_a_bad_pattern_are_refused() -> None:
    with pytest.raises(ValidationError, match="results"):
        Run(command="x")
    with pytest.raises(ValidationError, match="regular expression"):
        Printed(name="loss", pattern="(", count=1)
    with pytest.raises(ValidationError, match="seed, data or command"):
        Variation(name="nothing")
