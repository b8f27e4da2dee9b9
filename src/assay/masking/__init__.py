"""Masking: the engine that empties functions, the dial, leak search, and the `assay mask` pipeline."""
