"""The build hook: on demand, a wheel in which the rules are compiled from the very same source.

In: ``AUDITOR_COMPILED=1`` in the environment of a build; without it, nothing happens. Out: a compiled module beside
each source of ``COMPILED`` in the wheel. Refuses to know what is in them.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Where the time of an audit goes. Events are not among them, for their library reads their annotations; nor is the
#: driver, which serves the stages of any package, compiled or not.
COMPILED = (
    *("cards", "table", "stage", "claims", "settlement"),
    *("deals", "batches", "auctions", "contree", "circling"),
    *("tricks", "duties", "hidden_trump", "trick_contracts"),
    *("stock", "melds", "openings", "turns"),
    *("games/belote_contree", "games/rami_tounsi", "games/three_stones", "games/twenty_nine"),
    *("games/tarneeb_classic", "games/tarneeb_masrawi", "games/tarneeb_masrawi_dakak"),
)


class CompiledRules(BuildHookInterface):  # type: ignore[type-arg]  # no configuration of its own
    """Compiles the rules with mypyc."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if os.environ.get("AUDITOR_COMPILED") != "1" or version == "editable":
            return
        # Only such a build needs them.
        from mypyc.build import mypycify
        from setuptools import Distribution

        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        modules = [f"auditor/{name}.py" for name in COMPILED]
        checks = ["--config-file=", "--python-version=3.11", "--ignore-missing-imports"]
        extensions = mypycify([*checks, *modules], target_dir=str(folder / "c"))
        command = Distribution({"name": "auditor", "ext_modules": extensions}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "objects")
        command.ensure_finalized()
        command.run()
        built = [path for path in (folder / "lib").rglob("*") if path.is_file()]
        build_data["force_include"] |= {str(path): path.relative_to(folder / "lib").as_posix() for path in built}
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()
