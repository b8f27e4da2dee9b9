"""What is mounted into the sandbox of a traced run: Python 3.6 and its standard library are enough."""
