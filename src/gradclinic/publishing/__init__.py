"""From `lesson.py` to page, notebook and picture.

`python -m gradclinic.publishing` executes the lessons and writes plain Markdown under `docs/`;
mkdocs sees nothing else.
Importing this package is cheap: jupytext and nbclient are imported by the functions that need them.
"""
