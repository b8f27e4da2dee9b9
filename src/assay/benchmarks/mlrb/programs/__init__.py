"""Programs that make inputs; run by the Python of the challenges' environment, never imported by Assay."""
