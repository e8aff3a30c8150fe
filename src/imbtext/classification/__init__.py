"""RareTextClassifier: find the documents of a rare class."""
