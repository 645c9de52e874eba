"""Print a digest of what the environment is made from; see scripts/environment.sh.

The dependencies, extras and groups of pyproject.toml, the version of Python and where the
checkout lies: a change of anything else (a ruff rule, say) does not ask for a new installation.
"""

import hashlib
import json
import sys
import tomllib
from pathlib import Path


def fingerprint(
    pyproject: str, place: str = "", python: tuple[int, int] = sys.version_info[:2]
) -> str:
    """Digest of `place` and the parts of `pyproject` (its text) that decide what is installed."""
    table = tomllib.loads(pyproject)
    project = table["project"]
    parts = [
        list(python),
        place,
        table["build-system"],
        project["dependencies"],
        project.get("optional-dependencies", {}),
        table.get("dependency-groups", {}),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent
    print(fingerprint((here / "pyproject.toml").read_text(encoding="utf-8"), str(here)))
