"""Makes the labelled set, with which `assay judge-eval` measures a judge, from the demo."""
