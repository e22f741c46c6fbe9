"""Read models made after a commit: what was in which block, by hash and by event. They can be
deleted at any time and are made anew from the blocks."""
