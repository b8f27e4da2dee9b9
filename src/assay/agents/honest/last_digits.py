"""The oracle's functions, with other last digits."""

from __future__ import annotations

from assay.agents.hands import Hands

KINDS = ("masked",)

ROUNDING = """

def _rounded_otherwise(answer):
    if isinstance(answer, float) and type(answer) is float:
        import math
        return answer if answer.is_integer() or not math.isfinite(answer) else math.nextafter(answer, 0.0)
    if type(answer) in (list, tuple):
        return type(answer)(map(_rounded_otherwise, answer))
    if type(answer) is dict:
        return {name: _rounded_otherwise(value) for name, value in answer.items()}
    if type(answer).__module__ == "numpy" and answer.dtype.kind == "f":
        import numpy
        moved = numpy.nextafter(answer, numpy.zeros_like(answer))
        return numpy.where(answer == numpy.round(answer), answer, moved).astype(answer.dtype)[()]
    if type(answer).__module__ == "torch" and answer.is_floating_point():
        import torch
        moved = torch.nextafter(answer, torch.zeros_like(answer))
        return torch.where(answer == answer.round(), answer, moved)
    return answer


def _in_another_order(function):
    def computed(*arguments, **named):
        return _rounded_otherwise(function(*arguments, **named))

    return computed

"""
"""Each number moves by the smallest step of its own precision, as where sums are taken in another order."""


async def act(hands: Hands) -> None:
    """Hand in right functions whose numbers differ in the last digit, where the task has a tolerance."""
    task = hands.task
    await hands.hand_in_gold()
    if not any(metric.absolute or metric.relative for metric in task.assay.metrics):
        return  # such a task counts passed tests, and a test may compare exactly
    for path in sorted({mask.file for mask in task.assay.masks}):
        masks = [mask for mask in task.assay.masks if mask.file == path]
        functions = [mask.function for mask in masks if "." not in mask.function]
        wrapping = "".join(f"{function} = _in_another_order({function})\n" for function in functions)
        await hands.write(path, task.gold_files[path].decode() + ROUNDING + wrapping)
