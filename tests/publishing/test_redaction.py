"""What is taken out of a log before it is published, and what stays."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from auditor.audit import verdict_on
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.publishing import redaction, sheet
from auditor.publishing.names import Names
from auditor.publishing.redaction import Redacted, Redaction
from tests.desks.played import Document, matches
from tests.publishing.archives import SECRETS, telling

SECRET = Names(b"a secret of many bytes")


def log_of(document: Document) -> Log:
    entry = read_bytes(msgspec.json.encode(document), FORMS)
    assert isinstance(entry, Log)
    return entry


def redacted(document: Document, names: Names = SECRET, **terms: Any) -> tuple[Document, dict[str, str]]:
    """The published document, and the changes by field."""
    made = Redaction(names, **terms)(log_of(document))
    assert isinstance(made, Redacted)
    return msgspec.json.decode(made.log.canonical), {change.field: change.act for change in made.changes}


def test_nothing_that_tells_who_played_is_left() -> None:
    text = msgspec.json.encode(redacted(telling())[0]).decode()
    assert [secret for secret in SECRETS if secret in text] == []


def test_each_change_is_told() -> None:
    assert redacted(telling())[1] == {
        "/players/*/id": "replaced",
        "/players/*/name": "dropped",
        "/extra": "dropped",
        "/producer/platform": "dropped",
        "/shuffle": "dropped",
        "/started": "cut to the day",
        "/ended": "cut to the day",
        "/events/*": "dropped",
        "/events/*/at": "dropped",
    }


@pytest.mark.parametrize("ruleset", GAMES)
def test_the_verdict_stays(ruleset: str) -> None:
    for document in matches(ruleset, 3):
        before = verdict_on(log_of(document))
        after = verdict_on(log_of(redacted(document)[0]))
        assert (after.status, after.findings, after.deals, after.totals) == (
            before.status,
            before.findings,
            before.deals,
            before.totals,
        )


def test_what_the_rules_look_at_stays() -> None:
    document = matches()[0]
    kept = redacted(document, times="exact")[0]
    for key in ("ruleset", "options", "events", "started", "ended", "producer", "match"):
        assert kept[key] == document[key]


def test_a_bot_stays_one() -> None:
    document = telling()
    document["players"][2]["bot"] = True
    assert [player.get("bot") for player in redacted(document)[0]["players"]] == [None, None, True, None]


@pytest.mark.parametrize(
    ("times", "started", "at_stays"),
    [("day", "2026-03-02T00:00:00Z", False), ("exact", "2026-03-02T23:59:59.5+01:00", True), ("none", None, False)],
)
def test_times(times: str, started: str | None, at_stays: bool) -> None:
    document = telling(started="2026-03-02T23:59:59.5+01:00")
    kept = redacted(document, times=times)[0]
    assert kept.get("started") == started
    assert any("at" in event for event in kept["events"]) == at_stays


@pytest.mark.parametrize(
    ("match_id", "is_replaced"),
    [
        ("M-2041", False),
        ("user-77410", True),  # an id of five signs or more, within a word
        ("game of ZENOBIA-quick", True),
        ("Zenobia", True),  # a device or a table may be called after a part of a name
        ("xZenobiax", True),
        ("quicksilver", True),
        ("third-4", True),
        ("thirdly-4", True),
        ("user-7740", False),
    ],
)
def test_a_match_id_that_names_a_player_is_replaced(match_id: str, is_replaced: bool) -> None:
    kept, changes = redacted(telling(match=match_id))
    assert (kept["match"] != match_id) == is_replaced == ("/match" in changes)


def test_short_names_count_only_as_words() -> None:
    document = telling(match="table-ali-7")
    document["players"][0]["name"] = "Ali"
    assert redacted(document)[0]["match"].startswith("m-")
    document["match"] = "alias-7"
    assert redacted(document)[0]["match"] == "alias-7"
    document["players"][0]["name"] = "7"  # too short to tell anything
    assert redacted(document)[0]["match"] == "alias-7"


def test_match_ids_can_all_be_replaced() -> None:
    kept, changes = redacted(telling(match="M-2041"), match_ids="replace")
    assert kept["match"].startswith("m-")
    assert changes["/match"] == "replaced"


@pytest.mark.parametrize(
    "platform",
    ["ios 6D92078A-8246-4BA4-AE5B-76104861E7DC", "imei 490154203237518", "00:1B:44:11:3A:B7", "id 5f1e77aa90bc4412"],
)
def test_numbers_of_devices_go(platform: str) -> None:
    document = telling(producer={"name": "Club", "platform": platform, "build": "5f1e77aa90bc4412"})
    assert redacted(document)[0]["producer"] == {"name": "Club", "build": "5f1e77aa90bc4412"}


def test_a_platform_that_is_no_device_stays() -> None:
    document = telling(producer={"name": "Club", "platform": "android 14"})
    assert redacted(document)[0]["producer"]["platform"] == "android 14"


def test_a_producer_called_like_a_player_goes() -> None:
    document = telling(producer={"name": "bot of Zenobia-Quick"})
    assert "producer" not in redacted(document)[0]


def test_a_proof_of_the_shuffle_stays_where_it_names_nobody() -> None:
    document = telling()
    document["shuffle"]["client_seed"] = "some seed"
    assert redacted(document)[0]["shuffle"] == document["shuffle"]


def test_a_match_in_which_a_move_names_a_player_cannot_be_published() -> None:
    document = telling(ruleset="three-stones")
    place = next(event for event in document["events"] if event["type"] == "place")
    place["point"] = "user-7741"
    assert Redaction(SECRET)(log_of(document)) is None


# --- Names ------------------------------------------------------------------------------------------------------------


def test_a_player_has_one_name_whatever_the_seat() -> None:
    assert SECRET.player("amal", 0) == SECRET.player("amal", 3) != SECRET.player("basel", 0)


def test_another_secret_gives_other_names() -> None:
    assert SECRET.player("amal", 0) != Names(b"another secret, as long").player("amal", 0)


def test_without_a_secret_players_are_their_seats() -> None:
    players = redacted(telling(), Names())[0]["players"]
    assert [player["id"] for player in players] == ["seat-0", "seat-1", "seat-2", "seat-3"]


def test_who_is_erased_has_no_name_and_the_others_keep_theirs() -> None:
    plain = redacted(telling())[0]["players"]
    erased = redacted(telling(), Names(b"a secret of many bytes", {"user-7743"}))[0]["players"]
    assert erased[2] == {"id": "erased-2"}
    assert [erased[seat] for seat in (0, 1, 3)] == [plain[seat] for seat in (0, 1, 3)]


@pytest.mark.parametrize(
    "spelling",
    [
        "ZENOBIA-QUICK",
        "Ze\u0301nobia-Quick",
        "Ｚenobia-Quick",
        "Zeno\u200bbia-Quick",
        "Zenobia%2DQuick",
        "zenobia's phone",
    ],
)
def test_a_name_is_found_however_it_is_spelled(spelling: str) -> None:
    assert "producer" not in redacted(telling(producer={"name": f"app of {spelling}"}))[0]


@pytest.mark.parametrize("spelling", ["أبو_سليم_السري", "ابو_سليم_السري", "أبــو_سليم_السري", "أَبو_سَليم_السري"])
def test_an_arabic_name_is_found_with_marks_and_without(spelling: str) -> None:
    assert redacted(telling(match=f"مباراة {spelling}"))[0]["match"].startswith("m-")


def test_who_is_erased_is_found_in_what_other_matches_say() -> None:
    names = Names(b"a secret of many bytes", {"user-9999"})
    assert redacted(telling(match="rematch of user-9999"), names)[0]["match"].startswith("m-")
    assert redacted(telling(match="rematch of user-9998"), names)[0]["match"] == "rematch of user-9998"


def test_every_change_can_be_told_in_both_languages() -> None:
    changes = [value for value in vars(redaction).values() if isinstance(value, redaction.Change)]
    changes += redaction._PRODUCER.values()
    assert len(changes) > 12
    assert {word for change in changes for word in (change.act, change.reason)} <= sheet._SAID.keys()
