"""Python twins of the contracts whose behaviour a real wasmd recorded."""
