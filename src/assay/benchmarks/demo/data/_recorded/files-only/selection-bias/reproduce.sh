python experiment.py
