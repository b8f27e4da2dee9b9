"""The phase before an experiment: propose changes of a baseline, and predict what they gain."""
