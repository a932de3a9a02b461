"""What grades: versions and the level of isolation, on this machine or on the machines of a cluster."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from gradclinic import __version__
from gradclinic.course import CourseError
from gradclinic.grading.isolation import LEVELS, Isolation, offered


@dataclass(frozen=True)
class Surroundings:
    """A verdict may depend on each of these."""

    gradclinic: str
    python: str
    torch: str
    isolation: Isolation

    @classmethod
    def here(cls) -> Surroundings:
        """Of this machine. Raises CourseError where PyTorch is missing."""
        try:
            torch = version("torch")
        except PackageNotFoundError:
            raise CourseError(
                "PyTorch is not installed. Install it with `pip install torch` (README, Start)."
            ) from None
        return cls(__version__, platform.python_version(), torch, offered())

    def require(self, level: str) -> None:
        """Raises CourseError if the isolation is weaker than this level."""
        if level not in LEVELS:
            raise CourseError(f"--require-isolation knows {', '.join(LEVELS[:-1])} and {LEVELS[-1]}, and not {level}.")
        if not self.isolation.reaches(level):
            raise CourseError(
                f"Code is confined only to the level {self.isolation} here, and --require-isolation asks for {level}. "
                "Grade on Linux with a kernel that has landlock (5.13 or newer)."
            )

    def facts(self) -> dict[str, str]:
        return {
            "gradclinic": self.gradclinic,
            "torch": self.torch,
            "python": self.python,
            "isolation": str(self.isolation),
        }
