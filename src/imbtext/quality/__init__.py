"""Is a model still good? Audits measure what it finds now, from a few documents that are read."""
