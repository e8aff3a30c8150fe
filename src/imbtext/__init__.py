"""Oversampling for imbalanced text classification."""
