"""Measuring: metrics, statistics, the paper's protocol and tables, and comparisons on own data."""
