"""Why is this gradient None, zero or wrong, and at which line was it lost? Needs torch, knows nothing of lessons."""

from .ask import diagnose
from .diagnosis import Diagnosis, Finding, Location
from .errors import explain
from .trace import trace

__all__ = ["Diagnosis", "Finding", "Location", "diagnose", "explain", "trace"]
