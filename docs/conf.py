"""The site: Sphinx, the PyData theme, numpydoc and sphinx-gallery; no network at build or read."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import imbtext
from api_reference import missing
from for_the_web import repository, site_address
from inventories import ADDRESSES, inventory
from numbers_from_results import numbers
from table_of_samplers import table_of_samplers

project = "imbalanced-text"
author = "The imbalanced-text developers"
copyright = f"2026, {author}"
version = release = imbtext.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "api_reference",
    "command_reference",
    "for_machines",
    "for_the_web",
    "pictures",
    "ran_by_the_build",
    "results_text",
    "sortable_table",
    "yardstick_page",
]
exclude_patterns = ["_build", "_ext", "**/README.txt", "reference/api/examples"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_block", "substitution"]
myst_heading_anchors = 3
myst_substitutions = numbers(HERE.parent) | {"table_of_samplers": table_of_samplers()}

autosummary_generate = True
autodoc_mock_imports = missing()
# Every link to a name leads somewhere. scikit-learn's names are in a list of our own, because the
# build loads nothing from a network; `_ext/inventories.py` writes it as Sphinx reads it.
nitpicky = True
# Methods that a named tuple has from tuple are described as Python describes them.
nitpick_ignore_regex = [("py:class", "integer -- .*")]
intersphinx_mapping = {name: (address, str(inventory(name))) for name, address in ADDRESSES.items()}
templates_path = ["_templates"]
# A block that says nothing else is a command, not Python.
highlight_language = "shell"
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "imbalanced-text"
html_static_path = ["_static"]
html_css_files = ["imbtext.css"]
html_js_files = ["sortable.js", "names.js", "copy.js"]
html_show_sourcelink = False
smartquotes = False  # "--time" is an option, and quotes are typed
html_favicon = "_static/logo.svg"
html_context = {"default_mode": "auto"}
html_extra_path = ["made", "extra"]
html_baseurl = site_address()
if (repo := repository(HERE)) is not None:
    html_context |= {
        "github_user": repo[0],
        "github_repo": repo[1],
        "github_version": "main",
        "doc_path": "docs",
    }
# Where pages stood before; each old address leads on.
redirects = {
    "cookbook/01_spam": "guides/thresholds",
    "cookbook/02_safety_incidents": "guides/compare",
    "cookbook/04_two_hundred_a_day": "guides/thresholds",
    "cookbook/07_wrong_labels": "guides/wrong_labels",
    "gallery/01_first_steps": "guides/oversampling",
    "gallery/03_containers": "guides/oversampling",
    "gallery/06_rare_classifier": "guides/train_and_predict",
    "gallery/07_explanation": "guides/train_and_predict",
    "gallery/09_eda_with_your_own_synonyms": "guides/languages",
    "gallery/13_sampler_of_your_own": "guides/own_sampler",
    "gallery/15_compare": "guides/compare",
    "gallery/16_surface": "guides/languages",
    "guides/first_model": "guides/train_and_predict",
    "guides/labelling_page": "guides/labelling",
    "guides/method_and_metric": "guides/thresholds",
    "guides/reproduce": "guides/paper",
    "guides/thresholds_weights_oversampling": "guides/oversampling",
    "results/unseen": "results/held_out_halves",
    "start/first_minute": "start/messy_table",
}
html_theme_options = {
    "logo": {
        "text": "imbalanced-text",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
    },
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc", "edit-this-page"] if repo else ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "use_edit_page_button": repo is not None,
    "navbar_end": ["version-switcher", "theme-switcher"],
    "switcher": {"json_url": f"{html_baseurl}versions.json", "version_match": version},
    "check_switcher": False,
}
html_sidebars = {"how_emco_works": [], "index": []}

sphinx_gallery_conf = {
    "examples_dirs": ["../examples", "../cookbook"],
    "gallery_dirs": ["gallery", "cookbook"],
    "ignore_pattern": r"(__init__|promise|tickets)\.py",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    # Pages of the reference show the examples that use a name.
    "backreferences_dir": "reference/api/examples",
    "doc_module": ("imbtext",),
    "show_memory": False,
    "show_signature": False,
    # Its page of running times would fetch scripts from elsewhere.
    "write_computation_times": False,
    "remove_config_comments": True,
    "download_all_examples": True,
    "within_subsection_order": "FileNameSortKey",
    "plot_gallery": os.environ.get("IMBTEXT_DOCS_GALLERY", "1") == "1",
}
# numpydoc links an attribute that is a property by its bare name, which two samplers share.
suppress_warnings = ["config.cache", "ref.python"]
