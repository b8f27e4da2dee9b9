"""The generated reference: every field has a meaning, every verb and agent is there."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "reference"))

from agent_tables import agent_table  # noqa: E402
from command_pages import command_reference  # noqa: E402
from layer_drawing import TARGET, draw, read_layers  # noqa: E402
from model_tables import json_reference, toml_reference  # noqa: E402
from pages import expand  # noqa: E402

TASK_FILES = (
    "assay.tasks.config:TaskConfig",
    "assay.tasks.truth:Design",
    "assay.tasks.truth:Requirements",
    "assay.tasks.truth:Conclusion",
    "assay.masking.experiment:Experiment",
)


@pytest.mark.parametrize("model", TASK_FILES)
def test_every_field_that_a_task_writer_sets_has_a_meaning(model: str) -> None:
    rows = [line for line in toml_reference(model).splitlines() if line.startswith("| `")]
    assert rows
    assert not [row for row in rows if row.endswith("|  |")], "write a docstring beneath the field"


SHAPES = re.findall(r"generate: json (\S+) -->", (ROOT / "docs" / "reference" / "json-fields.md").read_text())


@pytest.mark.parametrize("shape", SHAPES)
def test_every_field_that_a_program_reads_has_a_meaning(shape: str) -> None:
    rows = [line for line in json_reference(shape).splitlines() if line.startswith("| `")]
    assert rows
    assert not [row for row in rows if row.endswith("|  |")], "write a docstring beneath the field"


def test_a_field_shows_its_type_its_limits_its_default_and_its_table() -> None:
    text = toml_reference("assay.tasks.config:TaskConfig")
    assert "### `[[metadata.assay.metrics]]` { #metadata-assay-metrics }" in text
    assert "| `absolute` | number, ≥ 0 | `0.0` | Allowed distance, in the metric's own unit. |" in text
    assert '| `direction` | `"higher"` or `"lower"` | required |' in text


def test_a_json_shape_links_to_the_shapes_inside_it() -> None:
    text = json_reference("assay.scoring.scorecards.scorecard:Scorecard")
    assert "| `agents` | list of [AgentCard](#scorecard-agentcard) |" in text
    assert "#### AgentCard { #scorecard-agentcard }" in text


def test_every_verb_and_every_agent_is_in_the_reference() -> None:
    from assay.agents import roster

    commands = command_reference("")
    for verb in ("run", "report", "certify", "env build", "export harbor", "judge-eval"):
        assert f"## assay {verb}\n" in commands
    listed = "".join(agent_table(role) for role in ("calibrator", "honest", "cheat", "agent"))
    assert all(f"`{name}`" in listed for name in roster())


def test_the_number_of_cheats_and_honest_agents_is_as_the_pages_say() -> None:
    from assay.agents import roster

    roles = Counter(agent.role for agent in roster().values())
    certificates = (ROOT / "docs" / "concepts" / "certificates.md").read_text()
    assert f"`honest-*`, {roles['honest']} agents" in certificates
    assert f"`cheat-*`, {roles['cheat']} agents" in certificates
    for page in ("README.md", "docs/faq.md", "docs/concepts/certificates.md"):
        assert set(re.findall(r"(\d+) cheats", (ROOT / page).read_text())) == {str(roles["cheat"])}, page


def test_the_drawing_of_the_packages_has_every_layer_of_the_import_contract() -> None:
    hint = "draw it again: python scripts/reference/layer_drawing.py"
    assert draw(read_layers()) == TARGET.read_text(), hint
    assert all(f">{name}</text>" in TARGET.read_text() for layer in read_layers() for name in layer)


def test_a_marker_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError):
        expand("<!-- generate: nonsense -->")
