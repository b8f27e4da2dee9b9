"""Why attempts fail: insights from evidence, types by rules, clusters or a model, how common each is."""

from assay.scoring.failures.analysis import Analysis, analyse
from assay.scoring.failures.insight import Insight
from assay.scoring.failures.mapping import TypeAssignment, TypeMap, read_map, write_map
from assay.scoring.failures.prevalence import Prevalence
from assay.scoring.failures.proposing import Propose, model_proposer
from assay.scoring.failures.rules import phase_of, recognise, recognise_run
from assay.scoring.failures.sources import FailureSource
from assay.scoring.failures.taxonomy import FOLLOWS, PHASES, FailureType, Phase, PublishedType, taxonomy

__all__ = [
    "FOLLOWS",
    "PHASES",
    "Analysis",
    "FailureSource",
    "FailureType",
    "Insight",
    "Phase",
    "Prevalence",
    "Propose",
    "PublishedType",
    "TypeAssignment",
    "TypeMap",
    "analyse",
    "model_proposer",
    "phase_of",
    "read_map",
    "recognise",
    "recognise_run",
    "taxonomy",
    "write_map",
]
