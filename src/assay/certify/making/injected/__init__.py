"""What is mounted into the sandbox of a traced run; the standard library is all it may use."""
