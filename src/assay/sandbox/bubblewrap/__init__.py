"""Sandboxes made by bubblewrap: mounts, system-call filter, start, and one command in a fresh sandbox."""
