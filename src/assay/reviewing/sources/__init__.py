"""What can be reviewed: the drafts of a curation, annotations of a benchmark, mapped failures."""
