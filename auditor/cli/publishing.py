"""``auditor publish``, ``verify`` and ``prove``: archives that strangers can check.

In: logs or databases, and the terms under which they are published; or an archive. Out: an archive, what is wrong with
one, or a proof that a match is in it. Refuses to know what makes an archive.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from auditor.cli.program import CLEAN, FINDINGS, RulesetName, Screen, examples, language_option, main, named, progress
from auditor.desks import signing
from auditor.desks.inputs import entries
from auditor.desks.outfile import require_new, write_whole
from auditor.publishing import proof as proofs
from auditor.publishing.checking import Outcome, verified
from auditor.publishing.description import Terms
from auditor.publishing.doubts import Doubt
from auditor.publishing.edition import Choice, Edition
from auditor.publishing.edition import publish as make_archive
from auditor.publishing.merkle import ProofFails
from auditor.publishing.names import Names, ids_in, secret_in
from auditor.publishing.sheet import said, why
from auditor.rulebook import Language, isolated

_PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "and": ", ", "made": "{}: {} matches, edition {}", "left": "  left out: {} of {} logs ({})",
        "root": "  Merkle root: {}", "signed": "  signed with the key {}", "unsigned": "  not signed",
        "named": "  players have the same names in every edition with this secret",
        "unnamed": "  players are called by their seats; with --pseudonyms they could be followed from match to match",
        "changes": "  what was changed: {}", "read": "logs read", "audited": "matches audited",
        "checked": "{}: {} logs read, edition {}", "by": "made by auditor {} with the rulebook {}",
        "other": "the auditor at work now is another one: only statuses and faults are compared",
        "signer": "signed with the key {}, as asked for",
        "unknown signer": "signed with the key {}; whose that is the archive does not say: compare it with --key",
        "whole": "all sums hold, and each log is a match log; --audit would check the verdicts too",
        "whole audited": "all sums hold, and everything that the archive says follows from its logs",
        "whole accused": "all sums hold, and statuses, faults and scores follow from the logs; words were not compared",
        "the archive": "the archive", "changed": "its bytes are not those of which the sum was taken",
        "missing": "it is missing", "added": "it was added", "link": "expected a plain file, found a link or device",
        "empty": "an empty folder", "written otherwise": "it is not as the auditor writes it",
        "other sums": "it is the seal of other sums", "other edition": "it names another edition than the bag does",
        "other root": "the Merkle root or the number of logs is not that of the logs that are here",
        "other logs": "it is not of the logs that are here",
        "other auditor": "it names another auditor than the database does",
        "unreadable": "it cannot be read", "unsigned doubt": "expected a signature, found none",
        "other key": "signed by another key than the one asked for",
        "other verdict": "the log of the match {} is judged otherwise now", "no verdict": "no verdict on the match {}",
        "table": "the table {} is not what comes of the logs", "row": "row {} (from 0) is not what comes of the logs",
        "count": "“{}” is not what comes of the logs",
        "does not fit": "what it says of {} does not fit, or one of them is missing",
        "holds": "the match {} is in the archive with the root {}",
        "sealed": "its seal, signed with the key {}, says: {} logs, edition {}",
        "not found": "  nobody in the logs has these ids, which were to be erased: {}",
        "quote": "that this is the root of the archive you know, only --root or --key can tell",
        "fails": "{}: the proof does not hold: {}",
        "no proof": "it is no proof: {}", "other form": "it is no proof of the form {}",
        "no root": "its root is no SHA-256", "no log": "the log in it is no match log",
        "other log": "the log in it has the digest {}, not {}",
        "no path": "the path does not lead from the log to the root",
        "other archive": "it is of the archive with the root {}, not {}",
        "archive unsigned": "the archive is not signed", "no signature": "its signature: {}",
        "other signer": "it is signed with the key {}, not with {}",
    },
    "ar": {
        "and": "، ", "made": "{}: المباريات: {}، الإصدار {}", "left": "  ما تُرك: {} من {} سجلًا ({})",
        "root": "  جذر ميركل: {}",
        "signed": "  موقّع بالمفتاح {}", "unsigned": "  غير موقّع",
        "named": "  للاعبين الأسماء نفسها في كل إصدار بهذا السر",
        "unnamed": "  يُسمّى اللاعبون بمقاعدهم؛ وبالخيار ⁦--pseudonyms⁩ يمكن تتبّعهم من مباراة إلى أخرى",
        "changes": "  ما غُيّر: {}", "read": "سجلات قُرئت", "audited": "مباريات دُقّقت",
        "checked": "{}: السجلات المقروءة: {}، الإصدار {}", "by": "صنعه المدقّق {} بكتاب القواعد {}",
        "other": "المدقّق العامل الآن غيره: لا يُقابَل إلا الحالات والأخطاء",
        "signer": "موقّع بالمفتاح {}، وهو المطلوب",
        "unknown signer": "موقّع بالمفتاح {}؛ ولا يقول الأرشيف لمن هو: قابِله بالخيار ⁦--key⁩",
        "whole": "كل البصمات صحيحة، وكل سجل سجلُ مباراة؛ والخيار ⁦--audit⁩ يتحقّق من النتائج أيضًا",
        "whole audited": "كل البصمات صحيحة، وكل ما يقوله الأرشيف ناتج من سجلاته",
        "whole accused": "كل البصمات صحيحة، والحالات والأخطاء والنقاط ناتجة من السجلات؛ ولم تُقابَل الألفاظ",
        "the archive": "الأرشيف", "changed": "ليست بايتاته تلك التي أُخذت بصمتها", "missing": "ناقص", "added": "زِيد",
        "link": "المتوقّع ملف عادي، والموجود وصلة أو جهاز", "empty": "مجلّد فارغ",
        "written otherwise": "ليس كما يكتبه المدقّق", "other sums": "هو ختم بصمات أخرى",
        "other edition": "يذكر إصدارًا غير الذي تذكره الحقيبة",
        "other root": "ليس جذر ميركل أو عدد السجلات لما هنا من سجلات", "other logs": "ليس من السجلات التي هنا",
        "other auditor": "يذكر مدقّقًا غير الذي تذكره القاعدة", "unreadable": "لا يُقرأ",
        "unsigned doubt": "المتوقّع توقيع، ولا توقيع", "other key": "موقّع بمفتاح غير المطلوب",
        "other verdict": "يُحكم الآن على سجل المباراة {} بغير ذلك", "no verdict": "لا نتيجة للمباراة {}",
        "table": "الجدول {} ليس ما ينتج من السجلات", "row": "الصف {} (من الصفر) ليس ما ينتج من السجلات",
        "count": "«{}» ليس ما ينتج من السجلات", "does not fit": "ما يقوله عن {} لا يصحّ، أو أحدهما ناقص",
        "holds": "المباراة {} في الأرشيف ذي الجذر {}",
        "sealed": "ختمه الموقّع بالمفتاح {} يقول: السجلات: {}، الإصدار {}",
        "not found": "  لا أحد في السجلات له هذه المعرّفات التي طُلب محوها: {}",
        "quote": "أمّا أن هذا جذر الأرشيف الذي تعرفه فلا يقوله إلا ⁦--root⁩ أو ⁦--key⁩",
        "fails": "{}: لا يصحّ الإثبات: {}",
        "no proof": "ليس إثباتًا: {}", "other form": "ليس إثباتًا بالصيغة {}",
        "no root": "ليس جذره ⁦SHA-256⁩", "no log": "السجل الذي فيه ليس سجل مباراة",
        "other log": "بصمة السجل الذي فيه {}، لا {}", "no path": "لا يؤدّي المسار من السجل إلى الجذر",
        "other archive": "هو من الأرشيف ذي الجذر {}، لا {}",
        "archive unsigned": "الأرشيف غير موقّع", "no signature": "توقيعه: {}",
        "other signer": "هو موقّع بالمفتاح {}، لا بالمفتاح {}",
    },
}  # fmt: skip


@main.command(
    epilog=examples(
        "auditor publish logs/ -o archive",
        "auditor publish audit.db -o archive-2026 --pseudonyms secret --split month --licence CC-BY-4.0",
        "auditor publish audit.db -o clean --only clean --ruleset tarneeb-classic --since 2026-01-01",
        "auditor publish audit.db -o archive-2 --pseudonyms secret --erase erased.txt --sign club-key",
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="DB|LOG...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to make; it must not be there yet.",
)
@click.option("--only", type=click.Choice(["clean", "all"]), default="all", show_default=True, help="Which matches.")
@click.option("--ruleset", "rulesets", type=RulesetName(), multiple=True, help="Only these rulesets.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="Only matches of this day or later.")
@click.option("--split", type=click.Choice(["month", "ruleset"]), help="One file of logs for each; else one for all.")
@click.option(
    "--pseudonyms",
    "secret_path",
    type=click.Path(path_type=Path),
    metavar="KEYFILE",
    help="The secret that gives players their names, the same in every edition: see “auditor key secret”. Without it "
    "players are called by their seats.",
)
@click.option(
    "--erase",
    "erase_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Ids of players, one a line, who shall not be followed; their opponents' matches stay.",
)
@click.option(
    "--keep-times",
    "times",
    type=click.Choice(["day", "exact", "none"]),
    default="day",
    show_default=True,
    help="The day of each match, all times, or none.",
)
@click.option(
    "--match-ids",
    type=click.Choice(["keep", "replace"]),
    default="keep",
    show_default=True,
    help="Whether matches keep their ids; one that holds the id or name of a player is replaced in any case.",
)
@click.option("--title", default=Terms().title, show_default=True, help="What the archive is called.")
@click.option("--publisher", default="", help="Who publishes it.")
@click.option("--licence", "--license", default="", help="The licence, best by its SPDX identifier, as CC-BY-4.0.")
@click.option("--edition", default="", help="What this edition is called; by default its date.")
@click.option(
    "--date",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DAY",
    help="The date of the edition; by default the day of the last match in it.",
)
@click.option("--sign", "key", type=click.Path(path_type=Path), help="Sign it with this private key.")
@language_option
def publish(
    paths: Sequence[str],
    output: Path,
    only: str,
    rulesets: Sequence[str],
    since: datetime | None,
    split: Any,
    secret_path: Path | None,
    erase_path: Path | None,
    times: Any,
    match_ids: Any,
    title: str,
    publisher: str,
    licence: str,
    edition: str,
    date: datetime | None,
    key: Path | None,
    language: Language,
) -> None:
    """Make an archive of the match logs in LOGs or in audit databases: anonymous, audited, with the sums of everything.

    Names, notes, devices and "extra" go; players get pseudonyms. The archive holds the logs (NDJSON, packed), tables of
    matches, deals and findings (Parquet), a database to browse, a quality sheet, what was changed, a description and a
    Merkle root, packed as a BagIt bag. The same logs, secret and options give the same bytes.

    The exit code is 0 if it was made, whatever the verdicts say. It needs the extra "publish".
    """
    from auditor.web.description import configuration_json  # Datasette takes a second to load

    choice = Choice(
        only_clean=only == "clean",
        rulesets=rulesets,
        since=_day(since),
        split=split,
        names=Names(
            None if secret_path is None else secret_in(secret_path),
            frozenset() if erase_path is None else ids_in(erase_path),
        ),
        times=times,
        match_ids=match_ids,
    )
    for option, text in (
        ("--title", title),
        ("--publisher", publisher),
        ("--licence", licence),
        ("--edition", edition),
    ):
        if not _is_text(text):
            raise click.BadParameter("expected text in UTF-8, found other bytes", param_hint=option)
    terms = Terms(title, publisher, licence, edition, _day(date))
    with _steps(language) as step:
        made = make_archive(entries(paths), output, choice, terms, configuration_json, key, step)
    for line in _made_lines(output, made, choice, language):
        click.echo(line)


@main.command(
    epilog=examples(
        "auditor verify archive",
        "auditor verify archive --audit --key club-key.pub",
    )
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--audit", "audits", is_flag=True, help="Audit every log again, and compare all that rests on it.")
@click.option("--key", type=click.Path(path_type=Path), help="The public key that must have signed it.")
@language_option
def verify(folder: Path, audits: bool, key: Path | None, language: Language) -> None:
    """Check an archive: every sum, the seal, the signature, the description, every log, the Merkle root.

    Each thing that does not hold is named with its file. The exit code is 1 if there is any. It needs the extra
    "publish".
    """
    from auditor.web.description import configuration_json  # Datasette takes a second to load

    signer = None if key is None else signing.public_key_of(key)
    counted = "audited" if audits else "read"  # each log is read just before it is audited: one of both is enough
    with progress(Screen(stderr=True), "text", _PHRASES[language][counted]) as step:
        outcome = verified(folder, audits, signer, lambda what: step() if what == counted else None, configuration_json)
    console = Screen(highlight=False, soft_wrap=True)
    for line in _outcome_lines(folder, outcome, language):
        console.print(line)
    sys.exit(FINDINGS if outcome.doubts else CLEAN)


@main.command(
    epilog=examples(
        "auditor prove archive --match M-2041 -o proof.json",
        "auditor prove --check proof.json --root 9f2c…",
        "auditor prove --check proof.json --key club-key.pub",
    )
)
@click.argument("archive", required=False, metavar="[ARCHIVE]", type=click.Path(path_type=Path))
@click.option("--match", "match", metavar="ID", help="The match, by its id in the archive or by its digest (sha256:…).")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the proof to this new file.")
@click.option("--check", "proof_path", type=click.Path(path_type=Path), metavar="FILE", help="Check this proof.")
@click.option("--root", metavar="HEX", help="With --check: the root that it must lead to.")
@click.option("--key", type=click.Path(path_type=Path), help="With --check: the public key that must have signed.")
@language_option
def prove(
    archive: Path | None,
    match: str | None,
    output: Path | None,
    proof_path: Path | None,
    root: str | None,
    key: Path | None,
    language: Language,
) -> None:
    """Prove that a match is in an archive, or check such a proof without the archive.

    The proof holds the log and the path from its digest to the Merkle root. With --check the exit code is 1 if it does
    not hold. It needs the extra "publish".
    """
    if root is not None and not proofs.is_root(root):
        raise click.BadParameter(f"expected 64 hexadecimal digits, found {root!r}", param_hint="--root")
    if proof_path is not None:
        if archive is not None or match is not None or output is not None:
            raise click.UsageError("--check needs no archive, no --match and no --output")
        _check(proof_path, root, key, language)
        return
    if archive is None or match is None or root is not None or key is not None:
        raise click.UsageError("expected ARCHIVE and --match to make a proof, or --check to check one")
    if output is not None:
        require_new(output)
    data = proofs.prove(archive, match)
    if output is None:
        click.echo(data, nl=False)
    else:
        write_whole(output, data)
        shown_root = _PHRASES[language]["root"].strip().format(named(proofs.seal_of(archive).root, language))
        click.echo(f"{named(output, language)}: {shown_root}", err=True)


def _check(path: Path, root: str | None, key: Path | None, language: Language) -> None:
    say = _PHRASES[language]
    try:
        shown = proofs.check(path, root, None if key is None else signing.public_key_of(key))
    except ProofFails as wrong:
        phrase = say[wrong.why].format(*(named(detail, language) for detail in wrong.details))
        click.echo(say["fails"].format(named(path, language), phrase))
        sys.exit(FINDINGS)
    seal = shown.seal
    click.echo(say["holds"].format(*(named(each, language) for each in (shown.log.match.match, seal.root))))
    if shown.signer is not None:
        told = (shown.signer, seal.matches, seal.edition)
        click.echo(say["sealed"].format(*(named(each, language) for each in told)))
    if root is None and key is None:
        click.echo(say["quote"])


@contextlib.contextmanager
def _steps(language: Language) -> Iterator[Callable[[str], None]]:
    """Counts on a terminal what is done, one thing after another."""
    say = _PHRASES[language]
    console = Screen(stderr=True)
    with contextlib.ExitStack() as shown:
        now, count = "", None

        def step(what: str) -> None:
            nonlocal now, count
            if what != now:
                shown.close()
                now, count = what, shown.enter_context(progress(console, "text", say[what]))
            assert count is not None
            count()

        yield step


def _made_lines(output: Path, made: Edition, choice: Choice, language: Language) -> Iterator[str]:
    say = _PHRASES[language]
    yield say["made"].format(named(output, language), made.seal.matches, named(made.seal.edition, language))
    counts = made.quality.document()
    if counts["left_out"]:
        total = sum(row["logs"] for row in counts["left_out"])
        left = (f"{why(row['reason'], row['detail'], language)}: {row['logs']}" for row in counts["left_out"])
        yield say["left"].format(total, counts["read"], "; ".join(left))
    if made.not_found:
        yield say["not found"].format(named(", ".join(made.not_found), language))
    yield say["named" if choice.names.secret else "unnamed"]
    changes = dict.fromkeys((row["field"], row["act"]) for row in made.quality.changes())
    told = (f"{isolated(field, language)} {said(act, language)}" for field, act in changes)
    yield say["changes"].format(say["and"].join(told))
    yield say["root"].format(named(made.seal.root, language))
    signer = made.seal.signer
    yield say["unsigned"] if signer is None else say["signed"].format(named(signer.keyid, language))


def _outcome_lines(folder: Path, outcome: Outcome, language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    seal = outcome.seal
    if seal is not None:
        edition = named(seal.edition, language)
        yield Text(say["checked"].format(named(folder, language), outcome.log_count, edition), style="bold")
        yield Text(say["by"].format(named(seal.auditor, language), named(seal.rules, language)))
        if outcome.was_audited and not outcome.is_same_auditor:
            yield Text(say["other"], style="yellow")
        yield Text(say["root"].strip().format(named(seal.root, language)))
        if outcome.signer is None:
            yield Text(say["unsigned"].strip())
        else:
            yield Text(
                say["signer" if outcome.is_expected else "unknown signer"].format(named(outcome.signer, language))
            )
    for doubt in outcome.doubts:
        file = named(doubt.file, language) if doubt.file else say["the archive"]
        yield Text(f"  {file}: {_said(doubt, language)}", style="red")
    if not outcome.doubts:
        yield Text(say[_praise(outcome)], style="green")


def _praise(outcome: Outcome) -> str:
    """What is said of an archive without a doubt: not more than was compared."""
    if not outcome.was_audited:
        return "whole"
    return "whole audited" if outcome.is_same_auditor else "whole accused"


def _said(doubt: Doubt, language: Language) -> str:
    """A doubt in words: a phrase, a phrase with something in it, or what was said in its own words."""
    say = _PHRASES[language]
    key, _, detail = doubt.what.partition(": ")
    key = {"unsigned": "unsigned doubt"}.get(key, key)
    return say[key].format(named(detail, language)) if key in say else named(doubt.what, language)


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _day(moment: datetime | None) -> str:
    return "" if moment is None else moment.date().isoformat()
