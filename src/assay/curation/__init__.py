"""From a paper and its repository to certified experiment tasks: `assay curate`.

Stages, each with a plain file in the curation's folder: `selecting` looks at licence, size and needs, `paper`
reads the paper as data, the environment comes from `assay env build`, `running` runs the repository's own
experiments, `matching` links the numbers of tables to runs, `drafting` drafts tasks and measures their
solutions, `certifying` proves them, `publishing_suite` writes the suite with its data card.
"""

from assay.curation.pipeline import STAGES, CurationOptions, CurationResult, curate
from assay.curation.proposing.asking import ModelChoice

__all__ = ["STAGES", "CurationOptions", "CurationResult", "ModelChoice", "curate"]
