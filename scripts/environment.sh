# Sourced by scripts/test, scripts/demo and scripts/docs, after `cd` to the checkout.
#
#   environment dev     everything: tools, extras, the package itself, editable
#   environment demo    only what the demo needs; an up-to-date dev environment will do
#   environment docs    the same for the documentation site
#
# Makes .venv, or reuses it while the dependencies named in pyproject.toml are the ones it was
# filled with (scripts/fingerprint.py). Needs bash and a Python 3.11 or later with venv and pip;
# a particular one is chosen with PYTHON=/path/to/python. Sets VENV_PYTHON.

VENV=.venv
STAMP=$VENV/nbgraph-environment

_suits() { # is $1 a Python that can make our environment?
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    local candidate
    if [ -n "${PYTHON:-}" ]; then
        _suits "$PYTHON" && echo "$PYTHON" && return
        echo "PYTHON=$PYTHON is not a Python 3.11 or later with the venv and ensurepip modules" >&2
        return 1
    fi
    for candidate in python3.13 python3.12 python3.11 python3 python; do
        _suits "$candidate" && echo "$candidate" && return
    done
    echo "no Python 3.11 or later with the venv and ensurepip modules was found;" \
        "install one, or name it: PYTHON=/path/to/python bash $0" >&2
    return 1
}

environment() {
    local group=$1 python wanted have started=$SECONDS
    VENV_PYTHON=$VENV/bin/python
    export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
    if ! "$VENV_PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$(find_python) || return 1
        echo "environment: making $VENV with $("$python" --version)"
        "$python" -m venv --clear "$VENV" || return 1
    fi
    wanted=$("$VENV_PYTHON" scripts/fingerprint.py) || return 1
    have=$(cat "$STAMP" 2>/dev/null)
    case $have in "$group $wanted" | "dev $wanted") return 0 ;; esac

    echo "environment: installing the $group dependencies (once; some minutes on a slow line)"
    rm -f "$STAMP"
    # Dependency groups are known to pip from 25.1 on; the venv may come with an older one.
    _pip install --quiet --upgrade 'pip>=25.1' || return 1
    _pip install --quiet --editable . --group "$group" || return 1
    "$VENV_PYTHON" -m nbgraph.warm || return 1
    echo "$group $wanted" >"$STAMP"
    echo "environment: ready in $((SECONDS - started)) s"
}

_pip() { # warnings are noise; errors are shown, and the status is pip's
    local status=0 lines
    lines=$("$VENV_PYTHON" -m pip "$@" 2>&1) || status=$?
    [ $status -eq 0 ] || printf '%s\n' "$lines" | grep -v '^WARNING' >&2
    return $status
}
