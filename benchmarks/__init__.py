"""Benchmarks: a package with a smoke size for the test suite and a real size for figures.

Each module has ``run(size) -> dict`` with a fixed seed and a digest of its result, so that the work
can be neither
optimised away nor quietly changed. ``python -m benchmarks --list`` names them.
"""
