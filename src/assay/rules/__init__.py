"""How a submission is judged: look-up, tolerance, values, design, conclusion, phases and verdict words.

Everything here needs the standard library of Python 3.11 alone and imports nothing else of Assay: `grading`
applies these rules in sandboxes, and an exported task carries a copy of this package beside its verifier.
`check_submission.py` also runs alone inside the agent's sandbox, on every Python from 3.6 on.
"""
