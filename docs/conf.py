"""Sphinx's configuration; see `build.py`."""

from nbgraph import __version__

project = "nbgraph"
author = "The nbgraph developers"
copyright = f"{author}. Apache-2.0"
version = release = __version__
extensions = ["myst_nb", "sphinx_design"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True
nitpicky = True  # a reference that leads nowhere is a warning, and so an error
suppress_warnings = [
    "myst.header",  # pages of the repository may begin below the first level
    "mystnb.unknown_mime_type",
    "myst-nb.lexer",  # of a page whose cells are not run
]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = f"nbgraph {version}"
exclude_patterns = ["**/.ipynb_checkpoints"]
python_use_unqualified_type_names = True
