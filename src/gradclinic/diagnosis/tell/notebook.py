"""The picture of a path as it stands in a notebook: with its own colours, and ids that no other picture has."""

from __future__ import annotations

from uuid import uuid4

from ..graph import Facts
from .path import MOST
from .picture import lines_of, svg


def drawing(path: Facts) -> str:
    """A figure with a caption. Its words have the colour of the text around it, on a light ground or a dark one."""
    title = f"The path from {path.nodes[0].name} back to the tensor"
    drawn = svg(path, f"gc-{uuid4().hex[:12]}", title, MOST)
    heading = lines_of(path)[0]
    caption = "Arrows go the way of <code>backward()</code>."
    caption += " Dashed, with a cross: the gradient is lost here." if "-✗" in heading else ""
    caption += " With a question mark: that is not proved." if "-?" in heading else ""
    caption += " Dotted: only values came this way." if "··" in heading else ""
    return f'<figure>{_STYLE}<div class="gc-scroll">{drawn}</div><figcaption>{caption}</figcaption></figure>'


# A lighter or darker tone is mixed from the colour of the text: a notebook's theme need not be the browser's.
_STYLE = """<style>
.gradclinic-diagnosis figure { margin: .6em 0; --gc-lit: #2e8b57; --gc-gap: #d5473a; --gc-quiet: #84908a;
  --gc-ground: rgb(46 139 87 / 9%); }
@media (prefers-color-scheme: dark) { .gradclinic-diagnosis figure { --gc-lit: #3fa66b; --gc-gap: #e0574a; } }
@supports (color: color-mix(in srgb, red, blue)) { .gradclinic-diagnosis figure {
  --gc-lit: color-mix(in srgb, #2e9b5e 78%, currentColor); --gc-gap: color-mix(in srgb, #e5402f 78%, currentColor);
  --gc-quiet: color-mix(in srgb, #84908a 70%, currentColor); } }
.gradclinic-diagnosis .gc-scroll { overflow-x: auto; }
.gradclinic-diagnosis figcaption { font-size: .85em; text-align: left; }
.gradclinic-diagnosis .gc-graph { display: block; max-width: none; }
.gradclinic-diagnosis .gc-graph text { fill: currentColor; font: 13px ui-monospace, "DejaVu Sans Mono", monospace;
  text-anchor: middle; }
.gradclinic-diagnosis .gc-graph .gc-name { font-weight: 700; }
.gradclinic-diagnosis .gc-graph .gc-what { font-size: 12px; }
.gradclinic-diagnosis .gc-graph .gc-why { font-size: 12px; font-weight: 700; }
.gradclinic-diagnosis .gc-graph .gc-doubt { font-size: 16px; font-weight: 700; }
.gradclinic-diagnosis .gc-node > rect, .gradclinic-diagnosis .gc-node > polygon { fill: var(--gc-ground);
  stroke: var(--gc-lit); stroke-width: 1.5; }
.gradclinic-diagnosis .gc-fold > rect + rect { fill: none; stroke-width: 1; }
.gradclinic-diagnosis .gc-loss > polygon { stroke-width: 3; }
.gradclinic-diagnosis .gc-dark > rect, .gradclinic-diagnosis .gc-dark > polygon { fill: none;
  stroke: var(--gc-quiet); }
.gradclinic-diagnosis .gc-lost > rect, .gradclinic-diagnosis .gc-gap > rect { fill: none; stroke: var(--gc-gap);
  stroke-width: 2; }
.gradclinic-diagnosis .gc-gap > rect { stroke-dasharray: 5 4; }
.gradclinic-diagnosis .gc-edge { fill: none; stroke: var(--gc-lit); stroke-width: 2; }
.gradclinic-diagnosis .gc-edge.gc-unwalked { stroke: var(--gc-quiet); stroke-dasharray: 2 4; }
.gradclinic-diagnosis .gc-edge.gc-missing, .gradclinic-diagnosis .gc-edge.gc-unsure { stroke: var(--gc-gap);
  stroke-dasharray: 6 5; }
.gradclinic-diagnosis .gc-cross { fill: none; stroke: var(--gc-gap); stroke-width: 2.5; }
.gradclinic-diagnosis .gc-head { fill: var(--gc-lit); }
.gradclinic-diagnosis .gc-head.gc-unwalked { fill: var(--gc-quiet); }
</style>"""
