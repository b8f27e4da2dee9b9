"""The options of `assay run`, each with the line that `--help` prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

AgentNames = Annotated[
    list[str] | None, typer.Option(help="An agent by name, or file.py:name; may be given again.")
]
AgentFiles = Annotated[
    Path | None,
    typer.Option(help="A folder of the program's own files; {files} in the command is its place."),
]
AgentName = Annotated[
    str | None, typer.Option(help="What logs call the program; its first word, if left out.")
]
AgentCommands = Annotated[
    list[str] | None,
    typer.Option(
        help="Any program, run inside the sandbox; {instruction} is what is asked; may be given again."
    ),
]
ModelNames = Annotated[list[str] | None, typer.Option(help="openai/…, anthropic/…, local/smollm2, …")]
BaseUrl = Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible service.")]
LogsFolder = Annotated[Path, typer.Option(help="Where logs and submissions go, and are resumed from.")]
AgentOptions = Annotated[
    list[str] | None,
    typer.Option(
        help="key=value for every agent that has it; may be given again; `assay agents` lists them."
    ),
]
Tools = Annotated[
    Literal["shell", "environment"] | None,
    typer.Option(help="environment: the agents also get a tool that lists packages and checks imports."),
]
ReasoningTokens = Annotated[int | None, typer.Option(min=1, help="The model's reasoning budget.")]
ReasoningEffort = Annotated[str | None, typer.Option(help="none, minimal, low, medium, high, xhigh.")]
Epochs = Annotated[int, typer.Option(min=1, help="Attempts for each task.")]
Processes = Annotated[int, typer.Option(min=1, help="Inspect processes, all into one folder of logs.")]
EngineName = Annotated[str, typer.Option(help="Where attempts run: local, ray, ray://HOST:PORT, slurm.")]
GradingEngine = Annotated[
    str | None, typer.Option(help="Grade in a second pass on another engine: local, ray, slurm, ….")
]
SlurmOptions = Annotated[str | None, typer.Option(help="Options of sbatch: partition=gpu,time=04:00:00,…")]
BatchSize = Annotated[
    int | None, typer.Option(min=1, help="Attempts that a worker of a cluster makes one after the other.")
]
SandboxName = Annotated[
    str, typer.Option(help="bwrap, docker, or a sandbox provider of Inspect that confines.")
]
MaxCost = Annotated[float | None, typer.Option(min=0, help="Dollars for the whole run.")]
Price = Annotated[str | None, typer.Option(help="INPUT,OUTPUT in dollars per million tokens.")]
AttemptSeconds = Annotated[
    float | None, typer.Option(min=1, help="Time of an attempt, in place of the task's.")
]
AttemptTokens = Annotated[int | None, typer.Option(min=1, help="Tokens of an attempt.")]
AttemptTurns = Annotated[int | None, typer.Option(min=1, help="Turns of an attempt.")]
AttemptCost = Annotated[float | None, typer.Option(min=0, help="Dollars of an attempt.")]
AnswerTokens = Annotated[int | None, typer.Option(min=1, help="Tokens of one answer of the model.")]
Temperature = Annotated[float | None, typer.Option(min=0, help="Sampling temperature.")]
RequestsPerMinute = Annotated[
    int | None, typer.Option(min=1, help="Requests to models in a minute, for the whole run.")
]
TokensPerMinute = Annotated[
    int | None, typer.Option(min=1, help="Tokens of models in a minute, for the whole run.")
]
Uncertified = Annotated[
    bool, typer.Option("--uncertified", help="Run shipped tasks that differ from their certificate.")
]
