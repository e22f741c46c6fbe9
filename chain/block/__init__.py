"""Blocks as values and CometBFT's formulas over them: hashes, part sets, commits."""
