"""What charts and pages share: colours, writing, and text that stays text. Internal."""
