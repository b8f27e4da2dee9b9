from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.masking.engine import find_functions, find_leaks, mask, scrub
from tests.example_counts import examples
from tests.masking.engine import soundness
from tests.masking.engine.generated import sources


@settings(max_examples=examples(300), deadline=None)
@given(source=sources(), keep=st.sampled_from(["docstring", "signature"]), data=st.data())
def test_any_choice_of_functions_masks_and_restores(source: bytes, keep: str, data: st.DataObject) -> None:
    assume(soundness.compiles(source))
    picked = data.draw(st.lists(st.sampled_from(find_functions(source)), min_size=1))
    chosen = soundness.apart(picked)
    note = data.draw(st.none() | st.text(max_size=30))
    description = {function.name: note for function in chosen} if note is not None else None
    masked = soundness.check(source, chosen, keep=keep, description=description)
    soundness.check_trees(source, masked)


@settings(max_examples=examples(100), deadline=None)
@given(source=sources(), data=st.data())
def test_masking_one_by_one_is_masking_all_at_once(source: bytes, data: st.DataObject) -> None:
    assume(soundness.compiles(source))
    names = [function.name for function in soundness.apart(find_functions(source))]
    stepwise = source
    for name in data.draw(st.permutations(names)):
        stepwise = mask(stepwise, [name]).source
    assert stepwise == mask(source, names).source


@settings(max_examples=examples(100), deadline=None)
@given(source=sources(), reasons=st.sets(st.sampled_from(["repeats the body", "call site", "names it"])))
def test_scrubbing_leaves_the_code_alone(source: bytes, reasons: Any) -> None:
    assume(soundness.compiles(source))
    bodies = {
        "trailing": "# trailing # between # deeper # outside",
        "decorate": "",
        "f0": "# far out, leading",
    }
    scrubbed = scrub(source, bodies, reasons=reasons)
    assert scrubbed.restore() == source
    assert len(scrubbed.removed) == sum(leak.reason in reasons for leak in find_leaks(source, bodies))
    assert soundness.compiles(scrubbed.source)
    assert not any(leak.reason in reasons for leak in find_leaks(scrubbed.source, bodies))
