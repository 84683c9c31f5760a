"""Scripts: the modules that the viewer is made of, as one plain script.

In: the name of a module under ``auditor/web/static``. Out: one script with all that it imports. Refuses to know what
the modules do.

A browser loads no modules from a file that was opened without a server, but it does load a script. A module becomes a
function that hands on what it exports; only the forms that our modules use are known, and another one stops the build.
"""

from __future__ import annotations

import re
from importlib import resources

from auditor import web

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function|class|const) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def static(name: str) -> str:
    """The text of a file among the styles and scripts of the pages."""
    return (resources.files(web) / "static" / name).read_text(encoding="utf-8")


def bundled(name: str) -> str:
    """The module ``name`` (without ``.js``) and everything that it imports, each once and before who asks for it."""
    order: dict[str, str] = {}
    _add(name, order, ())
    return '"use strict";\n(() => {\n' + "".join(order.values()) + "})();\n"


def _add(name: str, order: dict[str, str], above: tuple[str, ...]) -> None:
    assert name not in above, f"{name}.js imports itself by way of {above}"
    if name in order:
        return
    text = static(f"{name}.js")
    imports = _IMPORT.findall(text)
    for _, other in imports:
        _add(other, order, (*above, name))
    body = _EXPORT.sub("", _IMPORT.sub("", text))
    left = _LEFT.search(body)
    assert left is None, f"{name}.js: expected a form that is known here, found {left[0]}"
    heads = "".join(f"const {{ {names} }} = {other}Module;\n" for names, other in imports)
    exports = ", ".join(_EXPORT.findall(text))
    order[name] = f"const {name}Module = (() => {{\n{heads}{body}return {{ {exports} }};\n}})();\n"
