"""Where the repository of a course stands on the web, if its `mkdocs.yml` says so: `extra: repository:`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

NOTEBOOKS = "notebooks"  # the branch that .github/workflows/notebooks.yml fills


@dataclass(frozen=True)
class Repository:
    """The address of a repository, without a slash at its end."""

    address: str

    def edit(self, path: str) -> str:
        """The page on which this file can be changed."""
        return f"{self.address}/edit/main/{path}"

    def colab(self, notebook: str) -> str | None:
        """The address that opens a notebook of the notebooks branch in Colab, which reads from GitHub only."""
        where = urlsplit(self.address)
        if where.hostname != "github.com":
            return None
        return f"https://colab.research.google.com/github{where.path}/blob/{NOTEBOOKS}/{notebook}"


def repository(config: Path) -> Repository | None:
    """The repository that this `mkdocs.yml` names; None when it names none, or is not there."""
    from mkdocs.utils.yaml import yaml_load

    if not config.exists():
        return None
    with config.open(encoding="utf-8") as file:
        extra = (yaml_load(file) or {}).get("extra") or {}
    address = str(extra.get("repository") or "").rstrip("/")
    return Repository(address) if address else None
