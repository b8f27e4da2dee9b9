"""Values as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.rules.written_values import as_number, compare_values, normal, read_quantity, same_values, spread


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ([0.001], ["1e-3"]),
        ([0.001], ["1 × 10^-3"]),
        ([0.001], ["1x10^{-3}"]),
        ([0.5], ["50%"]),
        ([0.5], ["50 percent"]),
        ([10], ["10 epochs"]),
        ([5], ["5-fold"]),
        ([5], ["5-fold cross-validation"]),
        (["10 epochs"], [10]),
        (["3000 ms"], ["3 seconds"]),
        (["2 h"], ["120 minutes"]),
        ([1000], ["1,000"]),
        ([1_300_000], ["1.3M"]),
        ([64], ["64."]),
        ([1, 2, 3, 4], ["1-4"]),
        ([1, 2, 3, 4], ["from 1 to 4"]),
        ([0, 5, 10], ["0 to 10 in steps of 5"]),
        (["sgd", "Adam"], ["SGD, adam"]),
        (["sgd", "Adam"], ["[ADAM; sgd]"]),
        (["plain", "momentum"], ["plain and momentum"]),
        ([1, 20], [[1, 20]]),
        ([1, 20], [{"values": [1, 20]}]),
        (["ResNet-18"], ["resnet 18"]),
        ([True], ["true"]),
        ([0.0], [-0.0]),
    ],
)
def test_the_same_written_otherwise(expected: list[object], found: list[object]) -> None:
    assert compare_values(expected, found) == "same"
    assert compare_values(found, expected) == "same"


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ([0.1], [0.2]),
        ([0.5], ["50"]),
        (["3 s"], ["3 ms"]),
        (["10 epochs"], ["10 steps"]),
        ([1, 2, 3, 4], ["1-5"]),
        (["sgd", "adam"], ["sgd"]),
        (["sgd"], ["sgd", "adam"]),
        (["sgd"], []),
        ([5], ["5 or 10"]),
        ([5], ["10-fold"]),
    ],
)
def test_other_values_are_different_without_a_judge(expected: list[object], found: list[object]) -> None:
    assert compare_values(expected, found) == "different"


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (["linear probing", "zero-shot"], ["LP", "ZS"]),
        ([0.1], ["as in the paper"]),
        (["Adam with default settings"], ["Adam, learning rate 0.001, betas 0.9 and 0.999"]),
    ],
)
def test_what_hangs_on_words_is_unclear(expected: list[object], found: list[object]) -> None:
    assert compare_values(expected, found) == "unclear"


@pytest.mark.parametrize("found", ["5 or ten", "5 not used", "5\u0336", {"value": 10, "values": 5}])
def test_a_number_that_is_taken_back_is_not_the_number(found: object) -> None:
    assert compare_values([5], [found]) != "same"


@pytest.mark.parametrize("name", ["≠ higher", "!higher", "!= higher", "higher?", "¬higher", "h\u0336igher"])
def test_a_sign_that_denies_or_doubts_a_name_stays(name: str) -> None:
    assert normal(name) != normal("higher")


def test_other_signs_do_not() -> None:
    assert {normal(name) for name in ("Higher", "higher!", " *higher*.", "“high-er”")} == {"higher"}


@pytest.mark.parametrize("value", [True, None, [], {}, "", "fast", "1 2", "v2", "--3", "nan", 10**400])
def test_what_is_no_number(value: object) -> None:
    assert as_number(value) is None


@pytest.mark.parametrize(
    ("text", "number"), [("0,979", 0.979), ("-0,25", -0.25), ("1,024", 1024.0), ("12,345.5", 12345.5)]
)
def test_a_comma_after_a_single_zero_is_decimal(text: str, number: float) -> None:
    assert as_number(text) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_back_from_its_text(number: float) -> None:
    assert as_number(repr(number)) == number


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_quantity(text)
    assert isinstance(spread([text]), list)


@given(
    st.lists(st.one_of(st.integers(-9, 9), st.floats(-5, 5), st.text("abc", max_size=3)), max_size=5),
    st.randoms(),
)
def test_order_never_matters(values: list[object], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert same_values(values, shuffled)
    assert not same_values(values, [*shuffled, "one more"])


@pytest.mark.parametrize(
    "hostile", ["1" + " " * 500_000 + "!", "1" * 5_000, "1,234" * 400, "a-" * 900, "9-" * 900]
)
def test_no_text_keeps_the_search_busy_for_ever(hostile: str) -> None:
    assert compare_values([2], [hostile]) != "same"


def test_nested_values_are_compared_and_never_crash() -> None:
    deep: object = 1
    for _ in range(50_000):
        deep = [deep]
    assert compare_values(["a"], [deep, deep]) != "same"
    assert compare_values([{"a": 1}], [{"a": 1}]) == "same"


@pytest.mark.parametrize(
    ("expected", "stated"),
    [
        (0.12, "0.12 (12%)"),
        (0.12, "12% (0.12)"),
        (0.12, "0.12 (12% of the numbers)"),
        (0.12, "p=0.12"),
        (0.12, "p = 12%"),
        (1000, "1000 (10^3)"),
        (1000, "1000 (10³)"),
        (1000, "1,000 (one thousand)"),
    ],
)
def test_an_amount_that_is_stated_again_is_no_second_value(expected: float, stated: str) -> None:
    assert compare_values([expected], [stated]) == "same"


@pytest.mark.parametrize(
    ("expected", "stated"),
    [
        (0.12, "0.12 (13%)"),
        (0.12, "0.12 (12)"),
        (0.12, "0.12 (or 12%)"),
        (0.12, "0.12 (12% or 20%)"),
        (0.12, "0.12 (12% was not used)"),
        (0.12, "p=0.13"),
        (0.12, "p>0.12"),
        (1000, "1000 (10)"),
        (1000, "1000 (10^4)"),
    ],
)
def test_another_amount_in_brackets_is_not_overlooked(expected: float, stated: str) -> None:
    assert compare_values([expected], [stated]) != "same"
