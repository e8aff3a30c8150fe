"""What charts and pages are made of: colours, writing, and text that stays text. Internal."""
