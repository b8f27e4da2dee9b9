"""The functions and objects that `import assay` offers; `assay/__init__.py` lists their public names.

Every verb of the command line has its function here, and each works inside a running event loop, such as
that of a notebook.
"""
