"""Where else a masked function can be read: near copies in code, archives, encoded text, compiled files."""
