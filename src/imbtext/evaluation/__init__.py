"""What comparison and reproduction share: metrics, statistics, store, signature. Internal."""
