"""Requirements of drafts: each function of the repository is asked for once."""

from __future__ import annotations

from assay.curation.drafting.model import DraftRequirement
from assay.curation.drafting.requirements import without_repetition
from assay.tasks import Fact


def calls(name: str, file: str) -> DraftRequirement:
    fact = Fact(kind="call", name=name, file=file, symbol=name, named=True)
    return DraftRequirement(
        id=f"calls-{name}", text=f"It calls `{name}` of `{file}`.", facts=[fact], gold=["run.py"], evidence=[]
    )


def test_a_function_that_two_commands_call_is_one_requirement() -> None:
    found = without_repetition([calls("sample", "a.py"), calls("fit", "a.py"), calls("sample", "a.py")])
    assert [requirement.id for requirement in found] == ["calls-sample", "calls-fit"]


def test_functions_of_one_name_in_two_files_have_ids_of_their_own() -> None:
    found = without_repetition([calls("sample", "a.py"), calls("sample", "b.py")])
    assert [requirement.id for requirement in found] == ["calls-sample", "calls-sample-2"]
