"""Checking an archive: whatever was changed in it is named, also where the sums were made anew; and proofs."""

from __future__ import annotations

import copy
import hashlib
import itertools
import os
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pyarrow
import pytest
import zstandard
from pyarrow import parquet

from auditor.desks import signing
from auditor.games import GAMES
from auditor.publishing import bag, layout
from auditor.publishing.checking import Outcome, verified
from auditor.publishing.layout import Seal
from auditor.publishing.merkle import ProofFails, Tree, check
from tests.desks.played import faulty, run
from tests.publishing.archives import files, logs_in, publish, telling, written


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key, another key, and an archive of all rulesets signed with the first; nothing is changed."""
    top = tmp_path_factory.mktemp("verified")
    for name in ("key", "other"):
        assert run("key", "new", top / name).exit_code == 0
    logs = written(top / "logs.ndjson", [*(telling(0, ruleset) for ruleset in GAMES), faulty("revoke")])
    publish(logs, top / "signed", "--sign", top / "key", "--split", "ruleset")
    publish(logs, top / "plain")
    return top


@pytest.fixture
def archive(made: Path, tmp_path: Path) -> Path:
    """The archive that is not signed, to be changed."""
    return Path(shutil.copytree(made / "plain", tmp_path / "archive"))


def outcome(folder: Path, audits: bool = False, key: Path | None = None) -> Outcome:
    return verified(folder, audits, None if key is None else signing.public_key_of(key), lambda what: None)


def doubts(folder: Path, audits: bool = False, key: Path | None = None) -> dict[str, str]:
    """The first thing wrong with each file."""
    found = outcome(folder, audits, key).doubts
    return {doubt.file: doubt.what for doubt in reversed(found)}


def sum_again(folder: Path) -> None:
    """What somebody would do who changes an archive and knows how it is packed: all sums fit once more."""
    package_path = folder / "data" / layout.DESCRIPTION
    package = msgspec.json.decode(package_path.read_bytes())
    for resource in package["resources"]:
        data = (folder / "data" / resource["path"]).read_bytes()
        resource |= {"bytes": len(data), "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}
    package_path.write_bytes(msgspec.json.encode(package))
    payload = sorted(path for path in (folder / "data").rglob("*") if path.is_file())
    lines = [f"{bag.sha256_of(path)}  {path.relative_to(folder).as_posix()}\n" for path in payload]
    (folder / "manifest-sha256.txt").write_text("".join(lines), encoding="utf-8")
    info = folder / "bag-info.txt"
    oxum = f"Payload-Oxum: {sum(path.stat().st_size for path in payload)}.{len(payload)}"
    kept = [line for line in info.read_text(encoding="utf-8").splitlines() if not line.startswith("Payload-Oxum")]
    info.write_text("\n".join([*kept, oxum]) + "\n", encoding="utf-8")
    (folder / layout.TAG_SUMS).write_bytes(bag.tag_sums(folder))
    seal = msgspec.json.decode((folder / layout.SEAL).read_bytes(), type=Seal)
    sums = bag.sha256_of(folder / layout.TAG_SUMS)
    (folder / layout.SEAL).write_bytes(layout.sealed(msgspec.structs.replace(seal, sums=sums)))


def test_nothing_is_wrong_with_what_was_made(made: Path) -> None:
    found = outcome(made / "signed", audits=True, key=made / "key.pub")
    assert (found.doubts, found.log_count, found.is_expected) == ((), len(GAMES) + 1, True)
    assert outcome(made / "plain").doubts == ()


def test_sums_made_again_are_right_sums(archive: Path) -> None:
    """Else the tests that change something and call it would find the sums, and not what was changed."""
    sum_again(archive)
    assert outcome(archive, audits=True).doubts == ()


# --- One byte ---------------------------------------------------------------------------------------------------------


def test_a_flipped_byte_in_any_file_is_named(made: Path, tmp_path: Path) -> None:
    chance = random.Random(5)
    folder = tmp_path / "flipped"
    shutil.copytree(made / "signed", folder)
    for name, data in sorted(files(folder).items()):
        for _ in range(3):
            at = chance.randrange(len(data))
            changed = bytearray(data)
            changed[at] ^= 1 << chance.randrange(8)
            (folder / name).write_bytes(changed)
            assert name in doubts(folder), (name, at)
        (folder / name).write_bytes(data)
    assert outcome(folder).doubts == ()


@pytest.mark.parametrize("name", [*layout.BAG_FILES, "data/digests.txt", "data/archive.db", layout.SIGNATURE])
def test_a_missing_file_is_named(made: Path, tmp_path: Path, name: str) -> None:
    folder = Path(shutil.copytree(made / "signed", tmp_path / "a"))
    (folder / name).unlink()
    assert doubts(folder)[name] == "missing"


def test_what_was_added_is_named(archive: Path) -> None:
    for name in ("note.txt", "data/more.txt", "data/logs/more.txt", "signature.json"):
        (archive / name).write_bytes(b"{}\n")
        assert doubts(archive)[name] == "added"
        (archive / name).unlink()
    (archive / "data" / "empty").mkdir()
    assert doubts(archive) == {"data/empty": "empty"}
    (archive / "data" / "empty").rmdir()
    (archive / "data" / "link").symlink_to("archive.db")
    assert doubts(archive)["data/link"] == "link"


def test_without_its_seal_it_is_no_archive(archive: Path) -> None:
    (archive / layout.SEAL).unlink()
    assert layout.SEAL in doubts(archive)
    assert run("verify", archive).exit_code == 1
    assert run("verify", archive / "nothing").exit_code == 2
    assert run("verify", archive / layout.PAYLOAD).exit_code == 2


# --- Somebody who makes the sums anew ---------------------------------------------------------------------------------


def repacked(path: Path, lines: list[bytes]) -> None:
    path.write_bytes(zstandard.compress(b"".join(line + b"\n" for line in lines)))


def lines_of(path: Path) -> list[bytes]:
    return zstandard.ZstdDecompressor().stream_reader(path.read_bytes(), read_across_frames=True).read().splitlines()


def test_a_log_taken_away_is_missed(archive: Path) -> None:
    path = archive / "data/logs/matches.ndjson.zst"
    repacked(path, lines_of(path)[1:])
    sum_again(archive)
    found = doubts(archive)
    assert found[layout.SEAL] == "other root"
    assert found["data/digests.txt"] == found["data/archive.db"] == "other logs"


def test_logs_in_another_order_are_named(archive: Path) -> None:
    path = archive / "data/logs/matches.ndjson.zst"
    repacked(path, lines_of(path)[::-1])
    sum_again(archive)
    assert doubts(archive) == {"data/logs/matches.ndjson.zst": "line 2: out of order"}


def test_what_is_no_match_log_is_named_with_its_line_and_pointer(archive: Path) -> None:
    path = archive / "data/logs/matches.ndjson.zst"
    lines = lines_of(path)
    lines[1] = lines[1].replace(b'"seat":1', b'"seat":9', 1)
    repacked(path, lines)
    sum_again(archive)
    assert doubts(archive)["data/logs/matches.ndjson.zst"].startswith("line 2, /events/")


def change_database(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "data/archive.db", isolation_level=None)) as connection:
        for (trigger,) in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            if trigger.endswith("_stay"):
                sql = connection.execute("select sql from sqlite_master where name = ?", (trigger,)).fetchone()[0]
                connection.execute(f"drop trigger {trigger}")
                statements = (*statements, sql)
        for statement in statements:
            connection.execute(statement)
    sum_again(folder)


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("update deals set points = '[99,0]' where rowid = 1", "table: deals"),
        ("update matches set status = 'clean' where status = 'illegal'", "table: matches"),
        ("delete from findings where kind = 'illegal'", "table: findings"),
        ("update clauses set rule_en = 'anything goes' where id = 1", "table: clauses"),
        ("create table more (a)", "table: more"),
    ],
)
def test_a_database_that_says_something_else_is_named(archive: Path, statement: str, table: str) -> None:
    change_database(archive, statement)
    assert outcome(archive).doubts == ()  # all sums fit
    found = {(doubt.file, doubt.what) for doubt in outcome(archive, audits=True).doubts}
    assert ("data/archive.db", table) in found


def test_another_verdict_is_named_with_its_match(archive: Path) -> None:
    with closing(sqlite3.connect(archive / "data/archive.db")) as connection:
        packed = connection.execute("select json from documents where match = 1").fetchone()[0]
        match_id = connection.execute("select match_id from matches where id = 1").fetchone()[0]
    other = zstandard.compress(zstandard.decompress(packed).replace(b'"winner":', b'"winner": '))
    change_database(archive, f"update documents set json = x'{other.hex()}' where match = 1")
    assert f"other verdict: {match_id}" in {doubt.what for doubt in outcome(archive, audits=True).doubts}


@pytest.mark.parametrize(("table", "column", "value"), [("matches", "status", "clean"), ("deals", "points", [1, 2])])
def test_a_table_that_says_something_else_is_named(archive: Path, table: str, column: str, value: Any) -> None:
    path = archive / f"data/tables/{table}.parquet"
    kept = parquet.read_table(path)
    rows = kept.to_pylist()
    number = next(number for number, row in enumerate(rows) if row[column] not in (value, None))
    rows[number][column] = value
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema=kept.schema), path)
    sum_again(archive)
    assert outcome(archive).doubts == ()
    assert doubts(archive, audits=True) == {f"data/tables/{table}.parquet": f"row: {number}"}


def test_rows_that_are_too_few_or_other_columns_are_named(archive: Path) -> None:
    path = archive / "data/tables/deals.parquet"
    kept = parquet.read_table(path)
    parquet.write_table(kept.slice(0, kept.num_rows - 1), path)
    sum_again(archive)
    assert doubts(archive, audits=True) == {"data/tables/deals.parquet": f"row: {kept.num_rows - 1}"}
    parquet.write_table(kept.drop_columns(["points"]), path)
    sum_again(archive)
    assert doubts(archive, audits=True) == {"data/tables/deals.parquet": "its columns are others"}


def test_other_counts_are_named(archive: Path) -> None:
    path = archive / "data/quality.json"
    counts = msgspec.json.decode(path.read_bytes())
    counts["rulesets"]["twenty-nine"]["statuses"]["clean"] += 1
    path.write_bytes(msgspec.json.encode(counts))
    sum_again(archive)
    found = doubts(archive, audits=True)
    assert found.pop("data/quality.json") == "count: rulesets"
    assert set(found) == {"data/QUALITY.md", "data/datapackage.json"}  # which no longer say the same


def test_a_seal_that_names_another_auditor_is_named(archive: Path) -> None:
    seal = msgspec.json.decode((archive / layout.SEAL).read_bytes(), type=Seal)
    (archive / layout.SEAL).write_bytes(layout.sealed(msgspec.structs.replace(seal, auditor="9.9.9")))
    assert doubts(archive) == {layout.SEAL: "other auditor"}


def test_with_another_auditor_statuses_and_faults_are_compared(archive: Path) -> None:
    seal = msgspec.json.decode((archive / layout.SEAL).read_bytes(), type=Seal)
    (archive / layout.SEAL).write_bytes(layout.sealed(msgspec.structs.replace(seal, auditor="9.9.9")))
    change_database(
        archive, "update auditors set version = '9.9.9'", "update deals set points = '[99,0]' where rowid = 1"
    )
    found = outcome(archive, audits=True)
    assert (found.doubts, found.is_same_auditor) == ((), False)


@pytest.mark.parametrize("change", ["matches", "findings", "parquet"])
def test_to_name_another_auditor_does_not_hide_other_faults(archive: Path, change: str) -> None:
    seal = msgspec.json.decode((archive / layout.SEAL).read_bytes(), type=Seal)
    (archive / layout.SEAL).write_bytes(layout.sealed(msgspec.structs.replace(seal, auditor="9.9.9")))
    statements = ["update auditors set version = '9.9.9'"]
    table = "matches" if change == "matches" else "findings"
    if change == "matches":
        statements.append("update matches set status = 'clean' where status = 'illegal'")
    change_database(archive, *statements)
    if change != "matches":
        path = archive / f"data/tables/{table}.parquet"
        kept = parquet.read_table(path)
        column = kept.schema.get_field_index("clause")
        others = pyarrow.array(["play.turn"] * kept.num_rows)
        parquet.write_table(kept.set_column(column, kept.schema.field(column), others), path)
        sum_again(archive)
    found = {doubt.file for doubt in outcome(archive, audits=True).doubts}
    assert found == {"data/archive.db" if change == "matches" else f"data/tables/{table}.parquet"}


@pytest.mark.parametrize("name", ["README.md", "QUALITY.md", "CITATION.cff", "metadata.json", "changes.json"])
def test_other_words_are_named_though_the_sums_fit(archive: Path, name: str) -> None:
    path = archive / "data" / name
    path.write_bytes(path.read_bytes().replace(b"e", b"a", 1) if name != "changes.json" else b"[]\n")
    sum_again(archive)
    result = run("verify", archive)
    assert result.exit_code == 1
    assert ("data/QUALITY.md" if name == "changes.json" else f"data/{name}") in result.output


def test_a_description_with_another_licence_is_named(archive: Path) -> None:
    path = archive / "data" / layout.DESCRIPTION
    package = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode(package | {"licenses": [{"name": "CC0-1.0"}]}))
    sum_again(archive)
    assert set(doubts(archive)) == {"data/README.md", "data/CITATION.cff"}
    package["resources"].append(package["resources"][0])
    path.write_bytes(msgspec.json.encode(package))
    sum_again(archive)
    assert doubts(archive) == {"data/datapackage.json": "written otherwise"}


@pytest.mark.parametrize("name", ["second.db", "logs/more.ndjson", "logs/sub/x.ndjson.zst", "tables/more.parquet"])
def test_files_that_belong_to_no_archive_are_named_though_they_are_summed(archive: Path, name: str) -> None:
    (archive / "data" / name).parent.mkdir(exist_ok=True)
    (archive / "data" / name).write_bytes(b"anything")
    sum_again(archive)
    assert doubts(archive)[f"data/{name}"] == "added"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", [layout.SEAL, "bag-info.txt", "data/archive.db", "data/logs/matches.ndjson.zst"])
def test_nobody_waits_for_a_pipe(archive: Path, name: str) -> None:
    (archive / name).unlink()
    os.mkfifo(archive / name)
    assert doubts(archive)[name] == "link"


def test_words_that_only_a_search_finds_are_named(archive: Path) -> None:
    change_database(archive, "insert into players_fts (rowid, player_id, name) values (1, 'mallory', 'mallory')")
    found = {(doubt.file, doubt.what) for doubt in outcome(archive, audits=True).doubts}
    assert found == {("data/archive.db", "table: players_fts")}


def test_a_database_with_gaps_or_a_log_beside_it_is_named(archive: Path) -> None:
    with closing(sqlite3.connect(archive / "data/archive.db", isolation_level=None)) as connection:
        connection.execute("create table secret as select hex(randomblob(100000)) as a")
        connection.execute("drop table secret")
    sum_again(archive)
    assert doubts(archive) == {"data/archive.db": "written otherwise"}


@pytest.mark.parametrize(
    ("table", "packed"), [("documents", b"junk"), ("logs", b"junk"), ("documents", zstandard.compress(b"[" * 5000))]
)
def test_stored_bytes_that_are_none_are_named(archive: Path, table: str, packed: bytes) -> None:
    change_database(archive, f"update {table} set json = x'{packed.hex()}'")
    assert {doubt.file for doubt in outcome(archive, audits=True).doubts} == {"data/archive.db"}
    match = logs_in(archive)[0]["match"]
    assert run("prove", archive, "--match", match).exit_code in (0, 2)


def test_bytes_between_the_logs_are_named(archive: Path) -> None:
    path = archive / "data/logs/matches.ndjson.zst"
    repacked(path, [*lines_of(path), b"", b"  "])
    sum_again(archive)
    assert doubts(archive) == {"data/logs/matches.ndjson.zst": "written otherwise"}


# --- Signatures -------------------------------------------------------------------------------------------------------


def test_the_key_that_must_have_signed(made: Path, archive: Path) -> None:
    assert doubts(made / "signed", key=made / "other.pub") == {layout.SIGNATURE: "other key"}
    assert doubts(archive, key=made / "key.pub") == {"": "unsigned"}
    found = outcome(made / "signed")
    assert (found.doubts, found.is_expected) == ((), False)
    assert found.signer == signing.public_key_of(made / "key.pub").id
    result = run("verify", made / "signed", "--key", made / "key")
    assert result.exit_code == 2
    assert "expected a public key, as key.pub beside it, found a private one" in result.stderr


def test_a_signed_archive_cannot_be_summed_again(made: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made / "signed", tmp_path / "a"))
    (folder / "data/README.md").write_text("something else", encoding="utf-8")
    sum_again(folder)
    assert doubts(folder)[layout.SIGNATURE] == "something else was signed than what lies here"


# --- The tree and its proofs ------------------------------------------------------------------------------------------


def flat_root(leaves: list[bytes]) -> bytes:
    """The root as RFC 6962 defines it, word for word."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    half = max(2**power for power in range(20) if 2**power < len(leaves))
    return hashlib.sha256(b"\1" + flat_root(leaves[:half]) + flat_root(leaves[half:])).digest()


def test_the_root_is_that_of_the_standard(made: Path) -> None:
    for count in (1, 2, 3, 7, 8, 33):
        digests = sorted(f"sha256:{hashlib.sha256(bytes([number])).hexdigest()}" for number in range(count))
        tree = Tree(digests)
        assert tree.root == flat_root([bytes.fromhex(digest[7:]) for digest in digests]).hex()
        for index, other in itertools.product(range(count), repeat=2):
            if index == other:
                check(digests[index], tree.proof(index), tree.root, count)
            else:
                with pytest.raises(ProofFails):
                    check(digests[other], tree.proof(index), tree.root, count)
    digests = [digest.decode() for digest in (made / "plain/data/digests.txt").read_bytes().split()]
    assert Tree(digests).root == msgspec.json.decode((made / "plain/seal.json").read_bytes())["root"]


def test_every_match_has_a_proof_that_holds_without_the_archive(made: Path, tmp_path: Path) -> None:
    root = msgspec.json.decode((made / "signed/seal.json").read_bytes())["root"]
    for log in logs_in(made / "signed"):
        path = tmp_path / f"{log['match']}.json"
        assert run("prove", made / "signed", "--match", log["match"], "-o", path).exit_code == 0
        result = run("prove", "--check", path, "--root", root, "--key", made / "key.pub")
        assert result.exit_code == 0
        assert root in result.output
        assert msgspec.json.decode(path.read_bytes())["log"] == log


def test_a_changed_proof_does_not_hold(made: Path, tmp_path: Path) -> None:
    match = logs_in(made / "signed")[2]["match"]
    path = tmp_path / "proof.json"
    run("prove", made / "signed", "--match", match, "-o", path)
    proof = msgspec.json.decode(path.read_bytes())

    def is_held(change: Any, *options: str | Path) -> bool:
        changed = copy.deepcopy(proof)
        change(changed)
        path.write_bytes(msgspec.json.encode(changed) + b"\n")
        result = run("prove", "--check", path, *options)
        in_arabic = run("prove", "--check", path, *options, "--lang", "ar")
        assert result.exit_code == in_arabic.exit_code
        assert not re.search("[a-z]{2} [a-z]{2}", re.sub("\u2068[^\u2069]*\u2069", "", in_arabic.stdout))
        return result.exit_code == 0

    assert is_held(lambda it: None)
    assert not is_held(lambda it: None, "--root", "0" * 64)
    assert not is_held(lambda it: None, "--key", made / "other.pub")
    assert not is_held(lambda it: it["log"].update(match="another"))
    assert not is_held(lambda it: it.update(digest="sha256:" + "0" * 64))
    assert not is_held(lambda it: it["seal"].update(root="0" * 64))
    assert not is_held(lambda it: it["seal"].update(matches=it["seal"]["matches"] + 1))
    assert not is_held(lambda it: it["seal"].update(edition="another"))
    assert not is_held(lambda it: it["inclusion"].update(path=[]))
    assert not is_held(lambda it: it["inclusion"]["path"].reverse())
    assert not is_held(lambda it: it["inclusion"].update(metadata=7))
    assert not is_held(lambda it: it.update(signature=None))
    assert not is_held(lambda it: it.update(log=7))
    assert not is_held(lambda it: it["seal"].update(format="another"))
    path.write_bytes(msgspec.json.encode(proof).replace(b'{"format"', b'{"format":"x","format"', 1) + b"\n")
    assert run("prove", "--check", path).exit_code == 1
    assert not is_held(lambda it: it["seal"].update(signer=None), "--key", made / "key.pub")


def test_what_is_no_proof(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    for data in (b"", b"[]", b"\xff", b"[" * 5000, (made / "plain/seal.json").read_bytes()):
        path.write_bytes(data)
        result = run("prove", "--check", path)
        assert result.exit_code == 2
        assert result.stderr.endswith("proof.json: expected a proof (auditor-proof/1), found something else\n")
    for root in ("", "zz", "00", "g" * 64):
        result = run("prove", "--check", path, "--root", root)
        assert result.exit_code == 2
        assert "expected 64 hexadecimal digits" in result.stderr
    assert run("prove", "--check", tmp_path / "nothing").exit_code == 2
    assert run("prove", made / "plain", "--match", "nobody's").exit_code == 2
    assert run("prove", made, "--match", "any").exit_code == 2
    assert run("prove").exit_code == 2


def test_a_proof_overwrites_nothing(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    arguments = ("prove", made / "plain", "--match", logs_in(made / "plain")[0]["match"], "-o", path)
    assert run(*arguments).exit_code == 0
    path.write_bytes(b"mine")
    result = run(*arguments)
    assert result.exit_code == 2
    assert "proof.json: expected no file of this name yet, found one" in result.stderr
    assert path.read_bytes() == b"mine"


def test_a_match_id_of_two_logs_must_be_named_by_digest(tmp_path: Path) -> None:
    logs = written(tmp_path / "logs.ndjson", [telling(0, match="M-1"), telling(1, match="M-1")])
    folder = publish(logs, tmp_path / "a")
    assert run("prove", folder, "--match", "M-1").exit_code == 2
    for digest in (folder / "data/digests.txt").read_text(encoding="ascii").split():
        assert run("prove", folder, "--match", digest, "-o", tmp_path / digest).exit_code == 0
        assert run("prove", "--check", tmp_path / digest).exit_code == 0
