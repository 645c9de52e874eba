"""Libraries of NVIDIA's as machines without a GPU have them: C files of this folder, compiled."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest


def compiled(source, target):
    """The library, from a C file of this folder."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    target.parent.mkdir(parents=True, exist_ok=True)
    text = Path(__file__).parent / source
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-w", "-o", target, text], check=True)
    return ctypes.CDLL(str(target))
