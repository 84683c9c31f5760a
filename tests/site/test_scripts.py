"""Modules as one script: each once, before who asks for it, and nothing that a plain script may not hold."""

from __future__ import annotations

import re

import pytest

from auditor.site import scripts


def given(monkeypatch: pytest.MonkeyPatch, **modules: str) -> None:
    monkeypatch.setattr(scripts, "static", lambda name: modules[name.removesuffix(".js")])


def test_the_viewer_is_one_script_without_imports_and_exports() -> None:
    text = scripts.bundled("replay")
    assert not re.search(r"^\s*(import|export)\b", text, re.MULTILINE)
    assert re.findall(r"^const (\w+)Module = ", text, re.MULTILINE)[-1] == "replay"


def test_a_module_stands_once_and_before_who_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given(
        monkeypatch,
        top='import { b } from "./left.js";\nimport { c, d } from "./right.js";\nb(c, d);\n',
        left='import { c } from "./right.js";\nexport function b() {}\n',
        right="export const c = 1;\nexport class d {}\n",
    )
    text = scripts.bundled("top")
    assert re.findall(r"const (\w+)Module = ", text) == ["right", "left", "top"]
    assert "const { c, d } = rightModule;" in text
    assert "return { c, d };" in text


@pytest.mark.parametrize(
    "text",
    [
        'import * as all from "./other.js";\n',
        'import "./other.js";\n',
        'import { a } from "../other.js";\n',
        "export default 1;\n",
        "export let a = 1;\n",
        'export * from "./other.js";\n',
    ],
)
def test_a_form_that_is_not_known_stops_it(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    given(monkeypatch, top=text, other="")
    with pytest.raises(AssertionError, match="expected a form that is known"):
        scripts.bundled("top")


def test_modules_that_ask_for_each_other_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, a='import { b } from "./b.js";\n', b='import { a } from "./a.js";\n')
    with pytest.raises(AssertionError, match="imports itself"):
        scripts.bundled("a")
