"""What the agent sees, and what it leaves: checkout, environment, canaries, submission."""

from assay.cache import cache_folder
from assay.rules.running import VARIABLES
from assay.workspace.archive import SUBMISSIONS, submissions_folder
from assay.workspace.canary import PLACES, SECRETS, canaries, false_numbers, nonce
from assay.workspace.checkout import checkout, lay_out
from assay.workspace.collect import collect, glimpse
from assay.workspace.contract import CONTRACT, contract_files, contract_folder, files_asked_for, told
from assay.workspace.environments import build_environment, locked_environment
from assay.workspace.links import WORKSPACE
from assay.workspace.submission import Submission
from assay.workspace.task_environment import given_environment, gpus_of, least_gpus, task_environment
from assay.workspace.transcripts import TRANSCRIPTS, Recorded, recorded, workspace_path

__all__ = [
    "CONTRACT",
    "PLACES",
    "SECRETS",
    "SUBMISSIONS",
    "TRANSCRIPTS",
    "VARIABLES",
    "WORKSPACE",
    "Recorded",
    "Submission",
    "build_environment",
    "cache_folder",
    "canaries",
    "checkout",
    "collect",
    "contract_files",
    "contract_folder",
    "false_numbers",
    "files_asked_for",
    "given_environment",
    "glimpse",
    "gpus_of",
    "lay_out",
    "least_gpus",
    "locked_environment",
    "nonce",
    "recorded",
    "submissions_folder",
    "task_environment",
    "told",
    "workspace_path",
]
