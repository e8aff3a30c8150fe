"""The samplers: documents in, documents out."""
