"""Numbers that the three benchmarks published, cited and not measured here."""
