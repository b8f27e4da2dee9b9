"""Drafts of tasks: texts, workspace, solution, truth, and the task folder that comes of them."""
