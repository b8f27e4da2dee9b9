"""Agents that are right in odd ways; every one must score full marks, since a false alarm is a defect too.

A module here is an agent `honest-<module>`: its coroutine `act(hands)` hands in something right.
"""
