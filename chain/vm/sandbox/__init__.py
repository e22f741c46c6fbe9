"""Contract folders: which source is allowed, how compute is charged, the room it runs in."""
