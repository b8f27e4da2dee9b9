"""Stage 5 as a whole: numbers of tables, numbers of sentences, and comparisons of sentences."""

from __future__ import annotations

from collections.abc import Mapping

from assay.curation.matching import LinkedTable, LinksStage
from assay.curation.paper import PaperText
from assay.curation.running import RunsStage
from assay.curation.sentence_links import CAPTION, STATEMENTS, link_sentences
from assay.curation.stated_comparisons import stated_comparisons
from assay.curation.table_links import match_numbers


def link_documents(paper: PaperText, readmes: Mapping[str, PaperText], runs: RunsStage) -> LinksStage:
    """Link every number of the paper and of README files that a run makes again."""
    stage = match_numbers(paper, readmes, runs)
    tables, links, comparisons = list(stage.tables), list(stage.links), list(stage.comparisons)
    for document, text in (("paper", paper), *sorted(readmes.items())):
        if not text.sentences:
            continue
        linked = link_sentences(document, text, runs)
        links += linked
        comparisons += stated_comparisons(document, text, linked)
        tables.append(
            LinkedTable(
                document=document,
                table=STATEMENTS,
                caption=CAPTION,
                cells=text.stated_count,
                linked=len(linked),
                in_sentences=True,
            )
        )
    return stage.model_copy(update={"tables": tables, "links": links, "comparisons": comparisons})


def links_in_words(stage: LinksStage) -> str:
    """Return how many numbers come out again, in one line."""
    linked, cells = stage.count(in_sentences=False)
    stated, numbers = stage.count(in_sentences=True)
    words = f"{linked} of {cells} numbers of tables"
    if numbers:
        words += f" and {stated} of {numbers} numbers of sentences"
    words += " come out again"
    if stage.comparisons:
        confirmed = sum(comparison.is_confirmed for comparison in stage.comparisons)
        words += f"; runs confirm {confirmed} of {len(stage.comparisons)} comparisons in sentences"
    return words
