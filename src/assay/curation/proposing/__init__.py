"""What a model may add to a curation: commands, links and texts.

Every answer is a proposal. A command counts once it runs and gives numbers, a link once the run's number is
the printed one, and a text keeps only sentences that state no result; a person still has to read it.
"""
