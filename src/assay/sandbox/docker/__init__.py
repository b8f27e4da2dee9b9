"""Sandboxes made by Docker, for systems that refuse user namespaces."""
