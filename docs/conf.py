"""The site: ``sphinx-build -W docs build/site``. Its pages are plain Markdown; what only a site can do is added here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

from pirate_envs import Replay, __version__
from pirate_envs.agents.table import replay_page

ROOT = Path(__file__).resolve().parents[1]

project, author = "Pirate Games", "The Pirate Games developers"
project_copyright = author
release = version = __version__
html_title = project
html_theme = "furo"
html_static_path, html_css_files = ["_static"], ["site.css"]
html_copy_source = html_show_sourcelink = False
html_show_search_summary = False  # it would fetch pages, which cannot be done from files
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
smartquotes = False  # commands are copied
nitpicky = True
# Not on the API page: other libraries, the rooms below the doors, and variables of types.
nitpick_ignore_regex = [("py:.*", r"(?!pirate_envs\.).*|.*\.(core|engine|games)\..*|.*\.Numbers|.*\.[A-Z]")]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

PICTURE = re.compile(
    r'<picture>\n<source [^>]*srcset="([^"]*)">\n<img alt="([^"]*)" src="([^"]*)"( width="[^"]*")?>\n</picture>'
)
RULE = re.compile(r'<a id="([\w-]+)"></a>\*\*(R\d+)\*\*')
REPLAY = re.compile(r"\[replay\]\(([./]*)experiments/results/told_(\w+)/replay\.json\)")


def for_the_site(app: Any, name: str, source: list[str]) -> None:
    """Pictures follow the page's own theme, rules are places that links lead to, and replays can be watched."""
    text = PICTURE.sub(r"![\2](\3){.only-light\4}\n![\2](\1){.only-dark\4}", source[0])
    text = RULE.sub(r"[**\2**]{#\1}", text)
    source[0] = REPLAY.sub(r'\g<0> (<a href="../matches/\2.html">watch it</a>)', text)


def index_rules(app: Any, doctree: nodes.document) -> None:
    """A search for a rule's number leads to the rule itself."""
    for place in list(doctree.findall(nodes.inline)):
        for name in place.get("ids", ()):
            if re.search(r"-r\d+$", name):
                place.insert(0, addnodes.index(entries=[("single", place.astext(), name, "main", None)]))


def write_matches(app: Any, error: Exception | None) -> None:
    """Every told match as a page of its own."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / "matches"
        folder.mkdir(exist_ok=True)
        for file in sorted((ROOT / "experiments" / "results").glob("told_*/replay.json")):
            page = replay_page.page(Replay.load(file))
            (folder / f"{file.parent.name.removeprefix('told_')}.html").write_text(page, encoding="utf-8")


def as_rst(app: Any, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Docstrings are text with `code` in it, and indented examples."""
    text = re.sub(r"(?<!`)`([^`\n]+)`(?!`)(?!_)", r"``\1``", "\n".join(lines))
    lines[:] = re.sub(r"(?<!:):?\n\n(?=    \S)", "::\n\n", text).split("\n")


def for_everybody(app: Any, name: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """What scrolls sideways can be reached by keyboard; the navigation's captions are headings of a level."""
    body, tree = context.get("body", ""), context.get("furo_navigation_tree", "")
    context["body"] = re.sub(r'<(pre|div class="table-wrapper[^"]*")>', r'<\1 tabindex="0">', body)
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Any) -> None:
    connect: Callable[..., Any] = app.connect
    connect("source-read", for_the_site)
    connect("doctree-read", index_rules)
    connect("autodoc-process-docstring", as_rst)
    connect("build-finished", write_matches)
    connect("html-page-context", for_everybody, priority=900)  # after the theme
