"""Sphinx's configuration of the documentation site: ``make docs-site`` builds it.

The build is strict (every warning is an error) and needs no network. Pages are Markdown, so that
they can also be read in the repository.
"""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # for autodoc and for the modules of docs/

from docs import parameters, site_links  # noqa: E402 - found through the path above

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "antechamber"
author = "The antechamber authors"
copyright = author  # noqa: A001 - the name that Sphinx reads
release = version_of("antechamber")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]
nitpicky = True
# Types of the standard library; their documentation is on another site.
nitpick_ignore_regex = [
    ("py:.*", r"(collections|datetime|os|pathlib|typing)\..*|Any|Path|Self|Topics")
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
default_role = "any"
# Otherwise the two dashes of an option become one.
smartquotes = False

copybutton_prompt_text = "$ "

html_theme = "furo"
html_title = f"antechamber {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"font-stack": "system-ui, sans-serif"},
    "dark_css_variables": {"font-stack": "system-ui, sans-serif"},
}


def setup(app: Sphinx) -> None:
    """Connect the project's own steps of the build."""
    app.connect("source-read", site_links.rewrite_source)
    app.connect("autodoc-process-docstring", parameters.as_fields)
