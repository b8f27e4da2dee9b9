"""GPUs for sandboxes: device files, a pool, memory limits, and a check that CUDA works."""
