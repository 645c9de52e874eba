"""Small programs for a core, by name: which threads there are, and what the pushers do."""

from tests.engine.core import programs_jobs, programs_kernels, programs_plans
from tests.engine.core.program import PROGRAMS

FILES = (programs_kernels, programs_jobs, programs_plans)  # each puts its programs into the table

__all__ = ["FILES", "PROGRAMS"]
