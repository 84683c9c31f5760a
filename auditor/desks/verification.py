"""Verification: whether a case file is as it was made, who vouches for it, and whether its logs still say the same.

In: the path of a case, perhaps a public key. Out: all that is wrong with it, each with the file that it is about.
Refuses to know HTML: the report that a case should have is made by whoever asks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from auditor import __version__, rulebook
from auditor.desks import archive, signing
from auditor.desks.archive import Oddity
from auditor.desks.casefile import (
    ABOUT,
    FORMAT,
    SIGNATURE,
    SUMS,
    About,
    Reporter,
    case_of,
    files_of,
    pieces_of,
    signer_of,
    sums_of,
)
from auditor.desks.signing import NotSigned, PublicKey
from auditor.errors import CannotAudit
from auditor.verdict import Finding, Verdict

#: A line of the sums.
_SUM = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[^\n]+)")

#: ``changed``, ``missing`` and ``added`` are told by the sums; ``sums``: those themselves are not what the files give;
#: ``not ours``: it is no case file; ``signature``: it does not hold; ``unsigned``: one was expected; ``key``: signed
#: by somebody else; ``verdict``: the logs are judged otherwise now; ``made otherwise``: the auditor that made the case
#: would have made this file otherwise.
Wrong: TypeAlias = (
    Oddity
    | Literal[
        "changed",
        "missing",
        "added",
        "sums",
        "not ours",
        "signature",
        "unsigned",
        "key",
        "verdict",
        "made otherwise",
    ]
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing wrong: what, about which file, and what more there is to say."""

    wrong: Wrong
    file: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of checking a case.

    ``doubts`` are empty where nothing is wrong. ``signer`` is the id of the key that vouches for the case, if the
    signature holds; ``is_expected`` says that it is the key that was asked for. ``made_by`` are the auditor and the
    rules that made the case, where it could be read, and ``is_same_auditor`` says whether they are those at work now.
    """

    doubts: tuple[Doubt, ...]
    file_count: int
    signer: str | None = None
    is_expected: bool = False
    made_by: tuple[str, str] | None = None
    is_same_auditor: bool = False
    log_count: int = 0


def verified(
    path: Path, reporter: Reporter, key: PublicKey | None = None, step: Callable[[], None] = lambda: None
) -> Outcome:
    """The case at a path, checked: its files, its signature (by this key, if one is given), and its verdicts.

    ``step`` is called after every audit.
    Raises ``CannotAudit`` where there is no such folder or ZIP, where it has nothing that makes a case of it, or where
    a signature cannot be checked here.
    """
    contents = archive.read(path)
    files = contents.files
    if not contents.troubles and files.keys().isdisjoint({SUMS, ABOUT}):
        raise CannotAudit(f"{path}: expected a case file, found neither {SUMS} nor {ABOUT} in it")
    doubts = [Doubt(it.oddity, it.file, "" if it.offset is None else str(it.offset)) for it in contents.troubles]
    if any(doubt.wrong == "packed" for doubt in doubts):
        return Outcome(tuple(doubts), len(files))  # what was not unpacked is neither missing nor changed
    sums = list(_sum_doubts(files, {it.file for it in contents.troubles}))
    about = _about(files)
    if about is None:
        is_told = any(doubt.file == ABOUT for doubt in [*doubts, *sums])
        doubts += sums if is_told else [*sums, Doubt("not ours", ABOUT)]
        return Outcome(tuple(doubts), len(files))
    signer, signature_doubts = _signature(files, signer_of(about), key)
    doubts += [*sums, *signature_doubts]
    is_same = (about.auditor, about.rules) == (__version__, rulebook.digest())
    if not doubts:
        doubts += _again(files, about, reporter, is_same, step)
    return Outcome(
        tuple(doubts),
        len(files),
        signer,
        signer is not None and key is not None and signer == key.id,
        (about.auditor, about.rules),
        is_same,
        len(about.logs),
    )


def _sum_doubts(files: Mapping[str, bytes], told: set[str]) -> Iterator[Doubt]:
    """What the sums say of the files, those left out of which something worse is said."""
    if SUMS not in files:
        if SUMS not in told:
            yield Doubt("missing", SUMS)
        return
    lines = files[SUMS].decode("utf-8", "replace").splitlines()
    matches = [_SUM.fullmatch(line) for line in lines]
    listed = {match["name"]: match["digest"] for match in matches if match is not None}
    given = sums_of(files)
    found = {match["name"]: match["digest"] for match in _SUM.finditer(given.decode())}
    untold = {*listed, *found} - told - {SUMS, SIGNATURE}
    for name in sorted(untold):
        if name not in found:
            yield Doubt("missing", name)
        elif name not in listed:
            yield Doubt("added", name)
        elif listed[name] != found[name]:
            yield Doubt("changed", name)
    if None in matches or (listed == found and files[SUMS] != given):
        yield Doubt("sums", SUMS)


def _about(files: Mapping[str, bytes]) -> About | None:
    try:
        about = msgspec.json.decode(files[ABOUT], type=About)
    except (KeyError, msgspec.DecodeError, RecursionError):
        return None
    return about if about.format == FORMAT else None


def _signature(
    files: Mapping[str, bytes], signer: PublicKey | None, key: PublicKey | None
) -> tuple[str | None, list[Doubt]]:
    """The id of the key that vouches for the sums, and what is wrong with its signature."""
    if signer is None:
        doubts = [Doubt("added", SIGNATURE)] if SIGNATURE in files else []
        return None, [*doubts, Doubt("unsigned", "")] if key is not None else doubts
    if SIGNATURE not in files:
        return None, [Doubt("missing", SIGNATURE)]
    if not signing.is_sound(signer):
        return None, [Doubt("signature", ABOUT, "the key's id is not that of the key")]
    try:
        signing.check(files[SIGNATURE], files.get(SUMS, b""), signing.CASE, signer)
    except NotSigned as wrong:
        return None, [Doubt("signature", SIGNATURE, str(wrong))]
    if key is not None and key != signer:
        return signer.id, [Doubt("key", SIGNATURE, signer.id)]
    return signer.id, []


def _again(
    files: Mapping[str, bytes], about: About, reporter: Reporter, is_same: bool, step: Callable[[], None]
) -> Iterator[Doubt]:
    """The case made once more from its originals, and the two compared.

    With the same auditor each file must be the same, byte for byte; with another, what the verdicts accuse of.
    """
    try:
        case = case_of(pieces_of(about, files), signer_of(about), about.language, step)
    except KeyError as missing:
        yield Doubt("missing", str(missing.args[0]))
        return
    if is_same:
        again = files_of(case, reporter)
        for name in sorted({*files, *again} - {SUMS, SIGNATURE}):
            if files.get(name) != again.get(name):
                kind: Wrong = "verdict" if name.startswith("verdicts/") else "made otherwise"
                yield Doubt(kind, name)
        return
    for exhibit in case.exhibits:
        name = exhibit.names[-1]
        difference = _difference(files.get(name, b""), exhibit.verdict)
        if difference:
            yield Doubt("verdict", name, difference)


class _Finding(msgspec.Struct, frozen=True):
    kind: str
    clause: str
    event: int | None
    seat: int | None = None


class _Verdict(msgspec.Struct, frozen=True):
    """What of a verdict is compared where two auditors gave it."""

    status: str
    log_digest: str | None
    findings: list[_Finding]


def _difference(stored: bytes, verdict: Verdict) -> str:
    """In what another auditor's verdict on the same log differs from one given now; nothing if it does not."""
    try:
        old = msgspec.json.decode(stored, type=_Verdict)
    except (msgspec.DecodeError, RecursionError):
        return "it is no verdict"
    if old.log_digest != verdict.log_digest:
        return f"log_digest: {old.log_digest} ≠ {verdict.log_digest}"
    if old.status != verdict.status:
        return f"status: {old.status} ≠ {verdict.status}"
    new = [_finding(finding) for finding in verdict.findings]
    if old.findings != new:
        pairs = enumerate(itertools.zip_longest(old.findings, new))
        at = next(at for at, (one, other) in pairs if one != other)
        return f"findings[{at}]: {_shown(old.findings, at)} ≠ {_shown(new, at)}"
    return ""


def _finding(finding: Finding) -> _Finding:
    return _Finding(finding.kind, finding.clause, finding.event, finding.seat)


def _shown(findings: list[_Finding], at: int) -> str:
    if at >= len(findings):
        return "–"
    found = findings[at]
    return f"{found.clause} @ {found.event}"
