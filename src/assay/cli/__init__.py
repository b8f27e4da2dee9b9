"""The command line: one file a verb, heavy imports inside the verb."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from assay.cli import (
    agents,
    audit,
    bundle,
    certify,
    compare,
    curate,
    demo,
    doctor,
    env,
    export,
    failures,
    fetch,
    grade,
    harvest,
    import_outputs,
    judge_eval,
    mask,
    models,
    new,
    plan,
    published,
    record,
    report,
    review,
    run,
    schema,
    shell,
    show,
    suites,
    top,
    vary,
    verify,
    view,
)
from assay.cli.bytecode import keep_bytecode
from assay.cli.grouping import GroupedHelp, add_groups

if TYPE_CHECKING:
    from assay.errors import AssayError

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal, as shells count."""


def _empty_app() -> typer.Typer:
    return typer.Typer(
        name="assay",
        cls=GroupedHelp,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


app = _empty_app()
for verb in (
    plan,
    run,
    top,
    grade,
    import_outputs,
    judge_eval,
    report,
    compare,
    bundle,
    verify,
    record,
    failures,
    certify,
    vary,
    mask,
    harvest,
    curate,
    review,
    env,
    suites,
    show,
    shell,
    new,
    export,
    agents,
    fetch,
    audit,
    published,
    models,
    doctor,
    view,
    schema,
    demo,
):
    verb.register(app)
add_groups(app)


def _print_version(requested: bool) -> None:
    if requested:
        from assay.version import __version__

        print(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Measures whether an AI agent can do machine-learning research, with numbers that can be believed."""


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The command line with the one verb that these arguments begin with, else with all of them.

    Typer reads the options of every verb, which takes longer than the verb that a user waits for.
    """
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__.replace("_", "-")
        if arguments and arguments[0] == name:
            verb_app = _empty_app()
            verb_app.registered_callback = app.registered_callback
            verb_app.registered_commands.append(command)
            return verb_app
    return app


def main() -> None:
    """Run a verb; an error of ours is one clear line and an exit code, never a traceback."""
    from assay.collection import claim_process
    from assay.errors import AssayError, from_system

    claim_process()
    keep_bytecode()
    try:
        app_for(sys.argv[1:])()
    except AssayError as error:
        sys.exit(_show_error(error))
    except KeyboardInterrupt:
        _stop()
    except SystemExit as end:
        # Typer takes Ctrl-C for itself and exits with this code, without a word.
        if end.code == INTERRUPTED:
            _stop()
        raise
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        explained = from_system(error)
        if explained is None:
            raise
        sys.exit(_show_error(explained))


_LINES = "\n\t"


def _show_error(error: AssayError) -> int:
    """Print an error and its hint; the exit code that belongs to it."""
    from assay.errors import UsageError
    from assay.printable import spelled_out

    # Both may have names from a task folder of a stranger.
    print(f"error: {spelled_out(error.message, kept=_LINES)}", file=sys.stderr)
    if error.hint:
        print(f"hint: {spelled_out(error.hint, kept=_LINES)}", file=sys.stderr)
    return 2 if isinstance(error, UsageError) else 1


def _stop() -> NoReturn:
    """End after Ctrl-C; a second one from now on ends the process at once, without a traceback."""
    import os
    import signal

    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    print("stopped; what is finished is kept, the same command goes on from there", file=sys.stderr)
    sys.exit(INTERRUPTED)
