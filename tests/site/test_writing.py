"""The pages of a site: no link is dead, no page is lost, no name comes from a log, the same bytes each time."""

from __future__ import annotations

import base64
import json
import posixpath
import re
import shutil
import sqlite3
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import zstandard

from auditor import position
from auditor.errors import CannotAudit
from auditor.games import GAMES
from auditor.rulebook import LANGUAGES
from auditor.site import writing
from auditor.store import Store
from auditor.web import queries
from tests.web import archives, pages, serving

from . import sites
from .sites import Content

REVOKE = pages.MATCHES[0]


def contents(site: Path) -> dict[str, Content]:
    return {name: Content(data.decode()) for name, data in sites.files(site).items() if name.endswith(".html")}


def match_file(fixture: str, ending: str = ".html") -> str:
    digest = pages.log_of(fixture).digest.removeprefix("sha256:")
    return f"match/{digest[:2]}/{digest}{ending}"


def viewer_of(page: Content) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="viewer">(.*?)</script>', page.text)
    assert found is not None
    viewer: dict[str, Any] = json.loads(found[1])
    return viewer


# --- Links ----------------------------------------------------------------------------------------------------------


def test_every_link_leads_to_what_is_there(site: Path) -> None:
    files, found, dead = sites.files(site), contents(site), []
    for name, page in found.items():
        events = {f"e{step}" for step in range(viewer_of(page)["count"] + 1)} if name.startswith("match/") else set()
        for link in page.links:
            if link == "../files/":
                continue
            path, _, fragment = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            steps = events
            if target in found and target != name and target.startswith("match/"):
                steps = {f"e{step}" for step in range(viewer_of(found[target])["count"] + 1)}
            if target not in files or (fragment and fragment not in found[target].names | steps):
                dead.append((name, link))
    assert dead == []
    assert sum(len(page.links) for page in found.values()) > 1000


def test_every_page_is_reached_from_the_first(site: Path) -> None:
    found = contents(site)
    reached, left = {"index.html"}, ["index.html"]
    while left:
        name = left.pop()
        for link in found[name].links:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), urlsplit(link).path))
            if target in found and target not in reached:
                reached.add(target)
                left.append(target)
    assert set(found) == reached


def test_whatever_a_page_loads_lies_beside_it(site: Path) -> None:
    for name, page in contents(site).items():
        for address in page.loads:
            assert address.startswith("#") or re.fullmatch(r"(\.\./)*static/[a-z]+\.(css|js)", address), (name, address)
            if not address.startswith("#"):
                assert (site / posixpath.dirname(name) / address).is_file(), (name, address)


def test_nothing_is_shown_that_needs_a_server(site: Path) -> None:
    for name, page in contents(site).items():
        tags = Counter(tag for tag, _ in page.elements)
        assert tags["form"] == (1 if name.startswith(("match/", "list/")) else 0), name
        assert not [link for link in page.links if "/-/" in link or "?" in link], name


def test_each_page_says_what_it_may_do_and_holds_no_script(site: Path) -> None:
    for name, page in contents(site).items():
        metas = [found for tag, found in page.elements if tag == "meta" and "http-equiv" in found]
        assert metas == [{"http-equiv": "Content-Security-Policy", "content": writing.POLICY}], name
        for tag, found in page.elements:
            assert tag != "style", name
            assert tag != "script" or "src" in found or found.get("type") == "application/json", name
            assert not [key for key in found if key == "style" or key.startswith("on")], (name, found)


# --- What is there --------------------------------------------------------------------------------------------------


def test_no_name_of_a_file_comes_from_a_log(site: Path) -> None:
    names = [re.escape(ruleset) for ruleset in GAMES]
    known = (
        r"index(\.ar)?\.html|static/[a-z]+\.(css|js)|match/([0-9a-f]{2})/\3[0-9a-f]{62}(\.ar)?\.html"
        rf"|rules/({'|'.join([*names, 'index', 'log', 'common'])})(\.ar)?\.html"
        rf"|list/({'|'.join(names)})/(illegal|misscored|incomplete|clean)-\d+(\.ar)?\.html"
    )
    assert [name for name in sites.files(site) if not re.fullmatch(known, name)] == []


def test_hostile_text_is_text(site: Path) -> None:
    found = contents(site)
    for name, page in found.items():
        assert not {tag for tag, _ in page.elements} & {"img", "iframe", "object", "embed", "base"}, name
        assert "\u202e" not in page.text, name
    heads = {head for page in found.values() for head in re.findall(r"<h1><bdi>(.*?)</bdi></h1>", page.text)}
    assert {"{{ 7 * 7 }}{% raise %}", "&lt;script&gt;alert(1)&lt;/script&gt;"} <= heads


@pytest.mark.parametrize("fixture", pages.MATCHES)
def test_the_tables_of_a_match_come_whole_with_its_page(site: Path, fixture: str) -> None:
    log = pages.log_of(fixture)
    for ending, language in ((".html", "en"), (".ar.html", "ar")):
        viewer = viewer_of(Content((site / match_file(fixture, ending)).read_text(encoding="utf-8")))
        stretch = json.loads(zlib.decompress(base64.b64decode(viewer["packed"])))
        table: dict[str, Any] = {}
        for change in stretch["tables"]:
            table |= change
        last = position.before(GAMES[log.match.ruleset], log.match, len(log.match.events))
        assert (stretch["from"], len(stretch["tables"])) == (0, len(log.match.events) + 1)
        assert (table["totals"], table["is_over"]) == (list(last.totals), last.is_over)
        assert viewer["language"] == language
        assert viewer["tables_url"] is None


def test_a_match_is_the_page_that_the_server_shows(site: Path, site_database: Path) -> None:
    [answer] = serving.answers(site_database, pages.match_at(REVOKE))
    page = (site / match_file(REVOKE)).read_text(encoding="utf-8")
    for part in ('<section class="findings">', '<section class="ledger-section">'):
        served, still = (_part(text, part) for text in (answer.text, page))
        assert served == still
        assert served


def _part(text: str, start: str) -> list[str]:
    """The words of a section, without its addresses."""
    section = text[text.index(start) : text.index("</section>", text.index(start))]
    return re.sub(r"<[^>]*>", " ", section).split()


def test_logs_with_one_id_lead_to_each_other(site: Path) -> None:
    digest = pages.log_of("three-stones/fault-slid-too-far").digest.removeprefix("sha256:")
    page = contents(site)[f"match/{digest[:2]}/{digest}.html"]
    others = [link for link in page.links if re.fullmatch(r"\.\./[0-9a-f]{2}/[0-9a-f]{64}\.html", link)]
    assert len(others) == 1
    assert digest not in others[0]


def test_the_first_page_counts_and_says_where_the_files_are(site: Path, site_database: Path) -> None:
    page = contents(site)["index.html"]
    with closing(sqlite3.connect(site_database)) as connection:
        [(count,)] = connection.execute("select count(*) from matches").fetchall()
        rulesets = connection.execute("select distinct ruleset, status from matches").fetchall()
    assert f"{count} matches" in page.text
    assert "<h1><bdi>The club &lt;2026&gt;</bdi></h1>" in page.text
    assert "../files/" in page.links
    lists = {link for link in page.links if link.startswith("list/")}
    assert lists == {f"list/{ruleset}/{status}-1.html" for ruleset, status in rulesets}


def test_long_lists_have_pages_and_lose_nobody(
    site_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MATCHES_A_PAGE", 2)
    found = contents(sites.written(site_database, tmp_path / "site"))
    for ending in (".html", ".ar.html"):
        lists = {name: page for name, page in found.items() if re.fullmatch(rf"list/.*-\d+{re.escape(ending)}", name)}
        linked = Counter(
            posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
            for name, page in lists.items()
            for link in page.links
            if "match/" in link
        )
        assert linked == dict.fromkeys(
            (name for name in found if re.fullmatch(rf"match/../[0-9a-f]+{re.escape(ending)}", name)), 1
        )
        assert any("-2." in name for name in lists)


@pytest.mark.parametrize(
    ("number", "pages_", "expected"),
    [
        (1, 1, [1]),
        (2, 3, [1, 2, 3]),
        (1, 20, [*range(1, 21)]),
        (11, 60, [1, None, 3, None, 6, None, 9, 10, 11, 12, None]),
        (60, 60, [1, None, 3]),
    ],
)
def test_of_many_pages_some_are_offered(number: int, pages_: int, expected: list[int | None]) -> None:
    found = list(writing.offered(number, pages_))
    assert found[: len(expected)] == expected
    assert found[-1] == pages_
    assert number in found


# --- The same each time ---------------------------------------------------------------------------------------------


def test_the_same_database_gives_the_same_bytes(site: Path, site_database: Path, tmp_path: Path) -> None:
    again = sites.written(site_database, tmp_path / "again", "The club <2026>", "../files/")
    assert sites.files(again) == sites.files(site)


def test_a_database_in_another_place_gives_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        database = archives.of_documents(tmp_path / name / f"{name}.db", [archives.fixture(REVOKE)])
        made.append(sites.files(sites.written(database, tmp_path / name / "site")))
    assert made[0] == made[1]


# --- Odd databases --------------------------------------------------------------------------------------------------


def test_matches_whose_rules_are_not_installed_are_counted_and_left_out(tmp_path: Path) -> None:
    documents = [archives.fixture(REVOKE), archives.fixture("three-stones/fault-slid-too-far")]
    database = archives.of_documents(tmp_path / "audit.db", documents)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("update matches set ruleset = '../../else/where' where ruleset = 'three-stones'")
    (tmp_path / "site").mkdir()
    assert writing.write(database, tmp_path / "site", lambda: None).foreign == 1
    files = sites.files(tmp_path / "site")
    assert len([name for name in files if name.startswith("match/")]) == len(LANGUAGES)
    assert "1 match is not shown" in files["index.html"].decode()


def test_matches_that_lie_in_a_log_beside_the_file_are_shown(tmp_path: Path) -> None:
    database = archives.of_documents(tmp_path / "audit.db", [archives.fixture(REVOKE)])
    with Store.open(database):  # keeps the log from being folded in
        archives.of_documents(database, [archives.fixture("three-stones/fault-slid-too-far")])
        assert database.with_name("audit.db-wal").stat().st_size > 0
        (tmp_path / "site").mkdir()
        assert writing.write(database, tmp_path / "site", lambda: None).matches == 2


def test_a_match_that_is_loaded_meanwhile_stops_it(
    site_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_of = queries.digests

    async def earlier(database: Any) -> list[queries.Digest]:
        return (await all_of(database))[:-1]

    monkeypatch.setattr(queries, "digests", earlier)
    with pytest.raises(CannotAudit, match=r"audit\.db: expected that nobody loads into it meanwhile"):
        writing.write(site_database, tmp_path / "site", lambda: None)


def test_an_empty_database_is_refused(tmp_path: Path) -> None:
    Store.open(tmp_path / "audit.db").close()
    with pytest.raises(CannotAudit, match="expected matches of known rulesets, found none"):
        writing.write(tmp_path / "audit.db", tmp_path, lambda: None)


def test_a_damaged_database_is_refused(site_database: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    damaged = shutil.copyfile(site_database, tmp_path / "audit.db")
    with damaged.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (damaged.stat().st_size - 4096))
    with pytest.raises(CannotAudit, match="expected an audit database that can be read"):
        writing.write(damaged, tmp_path / "site", lambda: None)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "change",
    [
        "update logs set json = substr(json, 1, length(json) / 2)",
        f"update documents set json = x'{zstandard.compress(b'no verdict').hex()}'",
        "pragma writable_schema = on; update sqlite_master set sql = cast(x'ff' as text) where name = 'matches'",
    ],
)
def test_damaged_logs_verdicts_and_texts_are_refused(change: str, site_database: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copyfile(site_database, tmp_path / "audit.db"))
    with closing(sqlite3.connect(damaged)) as connection:
        for (name,) in connection.execute("select name from sqlite_schema where type = 'trigger'").fetchall():
            connection.execute(f"drop trigger [{name}]")  # a disk that fails asks none of them
        connection.executescript(change)
    with pytest.raises(CannotAudit, match="expected an audit database that can be read"):
        writing.write(damaged, tmp_path / "site", lambda: None)
