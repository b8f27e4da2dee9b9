"""The settings of an experiment: constants, options and seeds in the lines of a script that ran.

Each can be read from the file that ASSAY_DATA names, or from ASSAY_SEED, once the script is changed by
`with_settings`. So the same experiment runs with other settings, by which a task is varied and proved.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Literal, NamedTuple

from assay.grading.execution_trace import parse
from assay.tasks.metric import Strict

SettingKind = Literal["number", "seed"]
_SEED_NAME = re.compile(r"(?:^|_)(?:seed|random_state|rng_seed)(?:$|_|\d)", re.IGNORECASE)
_SEED_CALLS = frozenset(
    ("seed", "default_rng", "RandomState", "manual_seed", "manual_seed_all", "PRNGKey", "Random", "set_seed")
)
_NOT_SETTINGS = frozenset(
    [
        "indent",
        "dpi",
        "fontsize",
        "linewidth",
        "lw",
        "alpha_plot",
        "markersize",
        "figsize",
        "nrows",
        "ncols",
        "rotation",
        "zorder",
        "capsize",
        "axis",
        "end",
        "ndigits",
        "decimals",
        "width",
        "height",
        "pad",
        "wspace",
        "hspace",
        "bins",
        "s",
        "ms",
        "x",
        "y",
        "left",
        "right",
        "top",
        "bottom",
        "flush",
        "verbose",
        "level",
        "start",
        "stop",
        "step",
        "fill_value",
        "errors",
        "timeout",
        "encoding",
    ]
)
MOST_ENTRIES = 8
"""Of a table or list whose entries are settings; a longer one is data."""
FAR = 10
"""By how much a setting is enlarged if half of it moves no number."""
HELPER = '''
import json as _settings_json
import os as _settings_os


def _read_settings():
    path = _settings_os.environ.get("ASSAY_DATA")
    if not path:
        return {}
    with open(path) as file:
        return _settings_json.load(file)


_FRESH_SETTING = None
_FRESH_SCALE = 1


def setting(name, default):
    """Return a setting: from the file that ASSAY_DATA names, from ASSAY_SEED, or its own value."""
    values = _read_settings()
    seed = _settings_os.environ.get("ASSAY_SEED")
    if name == _FRESH_SETTING and seed and name not in values:
        part = (180 - int(seed) % 60) * _FRESH_SCALE
        return default * part // 200 if isinstance(default, int) else default * part / 200
    return values.get(name, default)


def seed_setting(default):
    """Return a seed: its own, moved by ASSAY_SEED."""
    return default + int(_settings_os.environ.get("ASSAY_SEED", "0"))

'''


class ExperimentSetting(Strict):
    """One constant of a script."""

    name: str
    """Its name; with the function's name before it if two functions have one of the same name."""
    kind: SettingKind
    value: int | float
    file: str
    line: int
    start: tuple[int, int]
    """Line and column (in bytes) at which the constant begins."""
    end: tuple[int, int]
    is_far: bool = False
    """Whether half of its value moves no number, but ten times its value does."""
    imported_after: int = 0
    """For a constant of another module: the last line of the statement that imports it; else 0."""


class _FoundConstant(NamedTuple):
    name: str
    function: str
    node: ast.expr
    value: int | float
    is_seed: bool


def find_settings(path: str, source: str, executed: Collection[int]) -> list[ExperimentSetting]:
    """Return the constants of a script that ran, in order; one inside a plot or a print is none."""
    tree = parse(source)
    if tree is None:
        return []
    constants = [
        constant for constant in _constants(tree, "") if constant.node.lineno in executed or not executed
    ]
    names = [constant.name for constant in constants if not constant.is_seed]
    settings = []
    for constant in constants:
        shared = names.count(constant.name) > 1 and constant.function and not constant.is_seed
        name = f"{constant.function}.{constant.name}" if shared else constant.name
        node = constant.node
        settings.append(
            ExperimentSetting(
                name=name.replace(".", "_"),
                kind="seed" if constant.is_seed else "number",
                value=constant.value,
                file=path,
                line=node.lineno,
                start=(node.lineno, node.col_offset),
                end=(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
            )
        )
    return _with_own_names(settings)


def _with_own_names(settings: list[ExperimentSetting]) -> list[ExperimentSetting]:
    """Leave out the second constant of one name, which would be changed with the first."""
    names: set[str] = set()
    kept_settings = []
    for setting in settings:
        if setting.kind == "seed" or setting.name not in names:
            kept_settings.append(setting)
            names.add(setting.name)
    return kept_settings


def _constants(node: ast.AST, function: str) -> Iterator[_FoundConstant]:
    for child in ast.iter_child_nodes(node):
        inner = function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = child.name
            yield from _default_constants(child)
        target = _assigned_name(child)
        if target is not None and isinstance(child, ast.Assign | ast.AnnAssign) and child.value is not None:
            yield from _value_constants(target, function, child.value)
        elif isinstance(child, ast.Call):
            yield from _call_constants(child, function)
        yield from _constants(child, inner)


def _assigned_name(node: ast.AST) -> str | None:
    """The plain name that a statement assigns; None if it assigns none, or several."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return None


def _value_constants(name: str, function: str, node: ast.expr) -> Iterator[_FoundConstant]:
    """A constant, or the constants in a short table or list, each with the name of its place."""
    if isinstance(node, ast.Dict) and len(node.keys) <= MOST_ENTRIES:
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str | int):
                yield from _as_constant(f"{name}_{key.value}", function, value)
    elif isinstance(node, ast.List | ast.Tuple) and len(node.elts) <= MOST_ENTRIES:
        for position, element in enumerate(node.elts):
            yield from _as_constant(f"{name}_{position}", function, element)
    else:
        yield from _as_constant(name, function, node)


def _default_constants(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[_FoundConstant]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(
        zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)
    )
    pairs += [
        (argument, default)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    ]
    for argument, default in pairs:
        yield from _as_constant(argument.arg, function.name, default)


def _call_constants(call: ast.Call, function: str) -> Iterator[_FoundConstant]:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called in _SEED_CALLS and call.args:
        yield from _as_constant("seed", function, call.args[0])
    if called == "add_argument" and call.args and isinstance(call.args[0], ast.Constant):
        name = str(call.args[0].value).lstrip("-").replace("-", "_")
        for keyword in call.keywords:
            if keyword.arg == "default":
                yield from _as_constant(name, "", keyword.value)
        return
    for keyword in call.keywords:
        if keyword.arg and (_SEED_NAME.search(keyword.arg) or len(keyword.arg) > 2):
            yield from _as_constant(keyword.arg, function, keyword.value)


def _as_constant(name: str, function: str, node: ast.expr) -> Iterator[_FoundConstant]:
    operand = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    if not isinstance(operand, ast.Constant) or isinstance(operand.value, bool):
        return
    if not isinstance(operand.value, int | float) or name in _NOT_SETTINGS or name.startswith("_"):
        return
    value = -operand.value if operand is not node else operand.value
    is_seed = bool(_SEED_NAME.search(name)) and isinstance(value, int)
    yield _FoundConstant(name, function, node, value, is_seed)


def with_settings(
    source: str,
    settings: Collection[ExperimentSetting],
    values: Mapping[str, int | float] | None = None,
    fresh: str | None = None,
) -> str:
    """Return the script with these constants read as settings; `values` replaces constants.

    `fresh` names the setting whose value ASSAY_SEED chooses.
    """
    lines = source.encode().split(b"\n")
    for setting in sorted(settings, key=lambda setting: setting.start, reverse=True):
        (line, start), (last_line, end) = setting.start, setting.end
        if line != last_line or setting.imported_after:
            continue
        text = lines[line - 1]
        constant = text[start:end].decode()
        if setting.kind == "number" and setting.name in (values or {}):
            constant = repr((values or {})[setting.name])
        call = (
            f"seed_setting({constant})"
            if setting.kind == "seed"
            else f"setting({setting.name!r}, {constant})"
        )
        lines[line - 1] = text[:start] + call.encode() + text[end:]
    for setting in settings:
        if setting.imported_after:
            value = (values or {}).get(setting.name)
            own_value = setting.name if value is None else repr(value)
            call = f"\n{setting.name} = setting({setting.name!r}, {own_value})"
            lines[setting.imported_after - 1] += call.encode()
    changed = b"\n".join(lines).decode()
    at = _first_code_line(changed)
    parts = changed.split("\n")
    helper = HELPER.replace("_FRESH_SETTING = None", f"_FRESH_SETTING = {fresh!r}")
    if any(setting.is_far for setting in settings if setting.name == fresh):
        helper = helper.replace("_FRESH_SCALE = 1", f"_FRESH_SCALE = {FAR}")
    return "\n".join([*parts[:at], helper, *parts[at:]])


def _first_code_line(source: str) -> int:
    """The number of lines before the first statement that is neither a docstring nor a __future__ import."""
    tree = parse(source)
    at = 0
    for statement in tree.body if tree is not None else []:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (is_text or is_future):
            break
        at = statement.end_lineno or at
    if at == 0 and source.startswith("#!"):
        at = 1
    return at


def can_be_fresh(setting: ExperimentSetting) -> bool:
    """Whether ASSAY_SEED can choose among many values of a setting: a whole number must be large enough."""
    return setting.value >= 20 if isinstance(setting.value, int) else setting.value != 0


def other_value(setting: ExperimentSetting) -> int | float:
    """Return another sensible value of a setting: half of a large number, so that runs get no longer."""
    value = setting.value
    if setting.is_far:
        return value * FAR
    if isinstance(value, int):
        return value // 2 if value >= 4 else value + 1
    if value == 0:
        return 0.1
    return value / 2
