"""What can be set of an agent, by `--agent-option key=value` or in its name: `react[memory=window]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import UsageError


@dataclass(frozen=True)
class Option:
    """One thing that can be set; what is not set is `default`."""

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()
    """The words that are allowed; without them a whole number from 1 on."""
    free: bool = False
    """Whether any text is allowed, such as a model's name."""


def split_name(name: str) -> tuple[str, dict[str, str]]:
    """An agent's name and the options in it."""
    plain, bracket, inner = name.partition("[")
    if not bracket:
        return name, {}
    if not inner.endswith("]"):
        raise UsageError(f"the agent {name!r} has no closing bracket", hint="write react[memory=window]")
    return plain, dict(parse_option(part) for part in inner[:-1].split(",") if part)


def parse_option(text: str) -> tuple[str, str]:
    """`key=value` as a pair."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise UsageError(
            f"the agent option {text!r} is not key=value", hint="write --agent-option memory=window"
        )
    return key.strip(), value.strip()


def full_name(name: str, values: Mapping[str, str]) -> str:
    """The name under which an agent with these options is logged and resumed."""
    inside = ",".join(f"{key}={value}" for key, value in sorted(values.items()))
    return f"{name}[{inside}]" if inside else name


def checked(agent: str, declared: Sequence[Option], values: Mapping[str, str]) -> dict[str, str]:
    """What was set to other than its default, refused where it cannot be."""
    options = {option.name: option for option in declared}
    for key, value in values.items():
        if key not in options:
            hint = f"it has: {', '.join(options)}" if options else "it has none"
            raise UsageError(f"agent {agent!r} has no option {key!r}", hint=hint)
        if options[key].free:
            continue
        choices = options[key].choices
        if choices and value not in choices:
            raise UsageError(f"option {key} is {value!r}", hint=f"expected one of: {', '.join(choices)}")
        if not choices and not (value.isdecimal() and int(value) >= 1):
            raise UsageError(f"option {key} is {value!r}, expected a whole number from 1 on")
    return {key: value for key, value in values.items() if value != options[key].default}


def with_options(
    names: Sequence[str], declared: Mapping[str, Sequence[Option]], texts: Sequence[str]
) -> list[str]:
    """Agents' names with options written into them; each option goes to every agent that has it."""
    pairs = dict(parse_option(text) for text in texts)
    for key in pairs:
        if not any(option.name == key for options in declared.values() for option in options):
            raise UsageError(
                f"none of the agents {', '.join(names)} has an option {key!r}",
                hint="`assay agents` lists them",
            )
    result = []
    for name in names:
        if not declared.get(name):
            result.append(name)
            continue
        plain, inside = split_name(name)
        fitting = {option.name for option in declared[name]}
        result.append(full_name(plain, {**inside, **{k: v for k, v in pairs.items() if k in fitting}}))
    return result
