"""Programs that run inside a sandbox, under a repository's own Python (3.6 and later)."""
