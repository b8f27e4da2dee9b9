"""Sandboxes made by Docker, where the system refuses user namespaces."""
