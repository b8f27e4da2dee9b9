"""The labelled set with which `assay judge-eval` measures a judge: how it is made from the demo."""
