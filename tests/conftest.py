"""Options for every test: Hypothesis sets no deadline, because a busy machine is not a bug."""

from hypothesis import settings

pytest_plugins = ["tests.conformance.plugin"]

settings.register_profile("tabiya", deadline=None)
settings.load_profile("tabiya")
