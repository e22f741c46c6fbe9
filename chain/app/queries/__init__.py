"""Reading: what contracts ask inside of a call, and what clients ask of a committed state."""
