"""What holds for every test: Hypothesis has no deadline, repeats itself, and prints how to repeat."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "msgchain",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("msgchain")
