"""The site: ``sphinx-build docs build/docs``. Its pages are plain Markdown; what only a site can do is added here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pirate_envs.version import __version__

project, author = "Pirate Games", "The Pirate Games developers"
release = version = __version__
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
smartquotes = False  # commands are copied
nitpicky = True
html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
html_show_sourcelink = False
