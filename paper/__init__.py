"""The paper's laboratory: its experiments and tables, beside what this machine gets.

``python -m paper reuters-titles`` runs an experiment of the paper (arXiv 2509.02332) in a clone of
the repository, and puts the numbers beside the published ones. The modules are the paper's own
preprocessing, splits, methods, LSTM and vocabulary measures; ``paper/results`` holds what they
computed. Nothing here is part of the installed package, and nothing here imports a module or a name
of `imbtext` that begins with an underscore: the paper is the first user of the package.
"""
