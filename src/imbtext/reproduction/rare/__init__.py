"""RareTextClassifier on the paper's splits, beside the best that was published."""
