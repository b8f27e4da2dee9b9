"""An amount of a design in any writing is the amount that it writes, and no other one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.grading.reading.designs import ANOTHER, AS_EXPECTED, TOO_MANY, UNCLEAR, compare_stated
from assay.tasks import Variable
from tests.example_counts import examples

_ONES = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (*("ten", "eleven", "twelve", "thirteen", "fourteen"), *(f"{name}teen" for name in ("fif", "six")))
_SMALL = ("zero", *_ONES[1:], *_TEENS, "seventeen", "eighteen", "nineteen")
_TENS = ("", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def accepts(accepted: str, stated: str) -> bool:
    """Whether a reader's finding is as expected, if the design gives this one value."""
    variable = Variable.model_validate(
        {"name": "x", "role": "constant", "ask": "the setting", "match": "all", "accepted": [[accepted]]}
    )
    return compare_stated(variable, [stated]) == AS_EXPECTED


def in_words(number: int) -> str:
    if number < 20:
        return _SMALL[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_SMALL[number % 10]}" if number % 10 else "")
    step, name = (1_000_000, "million") if number >= 1_000_000 else (1_000, "thousand")
    step, name = (100, "hundred") if number < 1_000 else (step, name)
    rest = number % step
    return f"{in_words(number // step)} {name}" + (f" {in_words(rest)}" if rest else "")


def whole_writings(number: int) -> list[str]:
    writings = [str(number), f"{number:,}", f"{number}.0", in_words(number), in_words(number).capitalize()]
    for step, scale in ((1_000, "K"), (1_000, "k"), (1_000, " thousand"), (1_000_000, "M"), (1024, "K")):
        if number % step == 0:
            writings.append(f"{number // step}{scale}")
    for power in range(1, len(str(number))):
        if number % 10**power == 0:
            mantissa = number // 10**power
            raised = str(power).translate(_RAISED)
            writings += [f"{mantissa}e{power}", f"{mantissa} × 10^{power}", f"{mantissa}·10{raised}"]
            writings += [f"10^{power}", f"10**{power}", f"10{raised}"] if mantissa == 1 else []
    if number > 2 and number & (number - 1) == 0:
        writings += [f"2^{number.bit_length() - 1}", f"2**{number.bit_length() - 1}"]
    return writings


@settings(max_examples=examples(200))
@given(st.one_of(st.integers(2, 130), st.sampled_from([200, 512, 1000, 1024, 4000, 4096, 50_000, 2_000_000])))
def test_a_whole_number_in_any_writing_is_itself_and_no_neighbour(number: int) -> None:
    neighbours = {10 * number, number + 1, number - 1, *([number // 10] if number % 10 == 0 else [])}
    for writing in whole_writings(number):
        for stated, accepted in ((writing, str(number)), (str(number), writing)):
            assert accepts(accepted, stated), (accepted, stated)
        assert accepts(str(number), f"{writing} epochs")
        assert accepts(f"{number} epochs", f"{writing} epochs")
        for neighbour in neighbours:
            assert not accepts(str(neighbour), writing), (neighbour, writing)
            assert not accepts(writing, str(neighbour)), (writing, neighbour)
        for unit in (" GB", " ms", " steps", *(["%"] if writing[-1].isdigit() else [])):
            assert not accepts(f"{number} epochs", f"{writing}{unit}"), f"{writing}{unit}"


@settings(max_examples=examples(100))
@given(st.integers(1, 9), st.integers(1, 9))
def test_a_small_number_in_any_writing_is_itself_and_no_neighbour(mantissa: int, power: int) -> None:
    raised = f"-{power}".translate(_RAISED)
    writings = [
        *(f"{mantissa}e{minus}{power}" for minus in ("-", "−", "–", "‑")),
        *(f"{mantissa} {times} 10^{minus}{power}" for times in ("×", "x", "·") for minus in ("-", "−")),
        f"{mantissa} × 10{raised}",
        f"{mantissa}x10^{{-{power}}}",
        f"{mantissa}*10**-{power}",
        f"{mantissa * 10.0**-power:.{power}f}",
    ]
    writings += [f"10^-{power}", f"10^{{-{power}}}", f"10**-{power}", f"10{raised}"] if mantissa == 1 else []
    for accepted in writings:
        for stated in writings:
            assert accepts(accepted, stated), (accepted, stated)
        for other in (f"{mantissa}e-{power + 1}", f"{mantissa}e{1 - power}", f"{mantissa + 1}e-{power}"):
            assert not accepts(other, accepted), (other, accepted)
            assert not accepts(accepted, other), (accepted, other)
        for other in (str(mantissa), str(power), f"-{power}", "10", f"{mantissa}e{power}"):
            assert not accepts(other, accepted), (other, accepted)


@given(st.integers(1, 99))
def test_a_share_in_any_writing_is_itself_and_no_neighbour(share: int) -> None:
    writings = [f"{share}%", f"{share} percent", f"{share} per cent", f"{in_words(share)} percent"]
    writings += [f"{in_words(share)} per cent", f"{share / 100}"]
    for writing in writings:
        assert accepts(f"{share}%", writing), writing
        assert accepts(str(share / 100), writing), writing
        for other in (f"{share + 1}%", f"{share / 10}%", str(share / 1000), f"{share} ms", f"{share}00%"):
            assert not accepts(other, writing), (other, writing)


HONEST = [
    ("10 epochs", "ten epochs"),
    ("10 epochs", "10"),
    ("10 epochs", "10 training epochs"),
    ("10 epochs", "10 full epochs of training"),
    ("10", "10 steps"),
    ("10", "10 ps"),
    ("10 ps", "10"),
    ("8 GPUs", "8 NVIDIA A100 GPUs"),
    ("8 GPUs", "eight GPUs"),
    ("3 seeds", "three random seeds"),
    ("100 ns", "0.1 µs"),
    ("100 ns", "100 ns trajectories"),
    ("100 fs", "0.1 ps"),
    ("5-fold", "5-fold cross-validation"),
    ("5-fold", "five folds"),
    ("4-bit", "4 bits"),
    ("three", "3"),
    ("three", "the three methods"),
    ("70 billion", "seventy billion"),
    ("128 initial tokens", "128 initial tokens per unit"),
    ("12", "12-layer"),
]
DISHONEST = [
    ("10 epochs", "10 steps"),
    ("10 epochs", "ten steps"),
    ("10 epochs", "10 hours"),
    ("8 GPUs", "8 CPU cores"),
    ("128 initial tokens", "128 memory units"),
    ("100 ns", "100 ps"),
    ("100 ns", "100 steps"),
    ("100 fs", "100 ns"),
    ("10", "10^-3"),
    ("3", "10^-3"),
    ("5", "two and three"),
    ("30", "ten and twenty"),
    ("16", "fp16"),
    ("100", "A100"),
    ("92", "ninety-two percent"),
    ("7B", "seven"),
    ("4096", "4.1K"),
    ("6 billion", "6 GB"),
]


@pytest.mark.parametrize(
    "hostile", ["1e999K", "1e999 epochs", "10^99 GB", "9" * 1_500, "2^99K", "-" * 1_500, "1 " * 700]
)
def test_an_enormous_or_hostile_text_is_no_accepted_amount(hostile: str) -> None:
    assert not accepts("10 epochs", hostile)


@pytest.mark.parametrize(("accepted", "stated"), HONEST)
def test_an_honest_writing_is_accepted(accepted: str, stated: str) -> None:
    assert accepts(accepted, stated)


@pytest.mark.parametrize(("accepted", "stated"), DISHONEST)
def test_another_amount_or_unit_is_refused(accepted: str, stated: str) -> None:
    assert not accepts(accepted, stated)


def found(role: str, accepted: list[list[str]], values: list[str], match: str = "all") -> str:
    parts = {"name": "x", "role": role, "ask": "the number of throws", "match": match, "accepted": accepted}
    return compare_stated(Variable.model_validate(parts), values, values)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1000 or 10"], ANOTHER),
        (["1000", "10"], ANOTHER),
        (["10", "1000"], ANOTHER),
        (["10 to 1000"], ANOTHER),
        (["1000/10"], ANOTHER),
        (["1000 (or 10)"], UNCLEAR),
        (["1000 (10 throws)"], UNCLEAR),
        (["1000 throws, maybe 10"], UNCLEAR),
        (["1000", "10 in a second run"], UNCLEAR),
        (["1000"], AS_EXPECTED),
        (["1,000", "1000"], AS_EXPECTED),
        (["1000 throws"], AS_EXPECTED),
        (["1000 (10^3)"], AS_EXPECTED),
        (["1000 throws (one thousand)"], AS_EXPECTED),
        (["1000 throws (with 2 dice)"], AS_EXPECTED),
        (["1000 throws for each die"], AS_EXPECTED),
        (["1000", "fixed for all dice"], AS_EXPECTED),
        (["n = 1000"], AS_EXPECTED),
        (["n=1000"], AS_EXPECTED),
        (["1000 (10³ throws)"], AS_EXPECTED),
    ],
)
def test_an_amount_that_is_held_fixed_has_one_value(values: list[str], expected: str) -> None:
    assert found("constant", [["1000", "one thousand"]], values) == expected


def test_constants_of_several_settings_may_name_another_one() -> None:
    settings_of_training = [["learning rate 1e-5", "1e-5"], ["batch size 2", "2"], ["3 epochs", "3"]]
    stated = ["learning rate 1e-5", "batch size 2", "3 epochs", "switch_block_every 100"]
    assert found("constant", settings_of_training, stated) == AS_EXPECTED
    assert found("constant", settings_of_training, stated, match="any") == AS_EXPECTED


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "2"], AS_EXPECTED),
        (["1", "2", "3", "4"], AS_EXPECTED),
        (["1 to 5"], TOO_MANY),
        (["1", "2", "3", "4", "5"], TOO_MANY),
    ],
)
def test_levels_may_have_as_many_others_beside_them(values: list[str], expected: str) -> None:
    assert found("independent", [["1"], ["2"]], values) == expected


def test_many_other_levels_in_words_are_unclear_before_they_are_too_many() -> None:
    levels = [["mean"], ["median"]]
    others = [f"method {letter}" for letter in "abcdefghij"]
    assert found("independent", levels, ["mean", "median", *others[:2]]) == AS_EXPECTED
    assert found("independent", levels, ["mean", "median", *others[:3]]) == UNCLEAR
    assert found("independent", levels, ["mean", "median", *others[:9]]) == TOO_MANY
    assert found("independent", levels, ["mean", *others[:3]], match="any") == AS_EXPECTED
