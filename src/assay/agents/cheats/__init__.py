"""Agents that cheat, one way each; every one must score 0, and the report says what caught it.

A module here is an agent `cheat-<module>`: its coroutine `act(hands)` tries one thing, its docstring says
what, and `KINDS` names the kinds of task on which the attempt makes sense.
"""
