"""Agents that are right in unusual ways; every one must pass, because a false alarm is a defect too.

A module here is an agent `honest-<module>`: its coroutine `act(hands)` hands in something right.
"""
