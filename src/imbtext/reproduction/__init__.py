"""The paper: its experiments, splits, units, tables and published figures. Internal."""
