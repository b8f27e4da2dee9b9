"""The ML Research Benchmark's challenges."""
