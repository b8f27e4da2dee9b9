"""The phase before an experiment: find the passage of a paper that supports or refutes a claim."""
