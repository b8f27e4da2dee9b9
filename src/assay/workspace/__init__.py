"""An agent's workspace, from start to submission: checkout, environment, canaries, collected files."""

from assay.cache import cache_folder
from assay.rules.links import WORKSPACE
from assay.rules.running import VARIABLES
from assay.workspace.archive import SUBMISSIONS, UNGRADED, submissions_folder
from assay.workspace.canary import CANARY_FOLDERS, SECRETS_FOLDER, canaries, false_numbers, nonce
from assay.workspace.checkout import checkout, write_folder
from assay.workspace.collect import collect, collect_snapshot
from assay.workspace.contract import (
    CONTRACT,
    contract_files,
    contract_folder,
    requested_files,
    with_checker_note,
)
from assay.workspace.environments import build_environment, locked_environment
from assay.workspace.folder_submission import read_folder
from assay.workspace.restoring import restore
from assay.workspace.submission import Submission
from assay.workspace.task_environment import (
    gpus_of,
    minimum_gpus,
    shares_gpus,
    task_environment,
    user_environment,
)
from assay.workspace.transcripts import TRANSCRIPTS, CommandTranscript, redacted_transcript, workspace_path

__all__ = [
    "CANARY_FOLDERS",
    "CONTRACT",
    "SECRETS_FOLDER",
    "SUBMISSIONS",
    "TRANSCRIPTS",
    "UNGRADED",
    "VARIABLES",
    "WORKSPACE",
    "CommandTranscript",
    "Submission",
    "build_environment",
    "cache_folder",
    "canaries",
    "checkout",
    "collect",
    "collect_snapshot",
    "contract_files",
    "contract_folder",
    "false_numbers",
    "gpus_of",
    "locked_environment",
    "minimum_gpus",
    "nonce",
    "read_folder",
    "redacted_transcript",
    "requested_files",
    "restore",
    "shares_gpus",
    "submissions_folder",
    "task_environment",
    "user_environment",
    "with_checker_note",
    "workspace_path",
    "write_folder",
]
