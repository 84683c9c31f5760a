"""``auditor case`` and ``auditor key``: case files, who signs them, and whether they still hold.

In: logs, or a case. Out: a folder or a ZIP; or what is wrong with one, and the exit code. Refuses to know what is in a
case and how it is checked.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from click_default_group import DefaultGroup
from rich.text import Text

from auditor.cli.program import CLEAN, FINDINGS, Screen, examples, language_option, main, named, progress
from auditor.cli.reconciling import comparison_lines
from auditor.desks import archive, casefile, signing
from auditor.desks.casefile import Case
from auditor.desks.verification import Outcome, verified
from auditor.errors import Place
from auditor.log import Log
from auditor.publishing.names import new_secret
from auditor.rulebook import LANGUAGES, Language, word

#: What checks a case again, whatever its folder is called by then.
COMMAND = "auditor case verify ."
_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "made": "{}: a case of {} files", "log": "  {}: {} {}", "signed": "  signed with the key {}",
        "unsigned": "  not signed", "key": "private key: {} (keep it to yourself)", "public": "public key:  {}",
        "secret": "secret: {} (keep it to yourself, and for the next edition)",
        "id": "key id:      {}", "files": "{}: files: {}, logs: {}", "by": "made by auditor {} with the rulebook {}",
        "other": "the auditor at work now is another: only statuses and findings are compared",
        "signer": "signed with the key {}, which is the one asked for",
        "unknown signer": "signed with the key {}; whose that is, this file cannot say: compare it with --key",
        "whole": "nothing was changed, added or taken away, and the verdicts are the same",
        "the case": "the case", "link": "expected a plain file, found a link or something else",
        "name": "a file with this name has no place in a case, or stands in it twice",
        "empty": "a folder without files",
        "damaged": "its bytes cannot be read, or are not those that were stored",
        "packed": "another program has packed this ZIP, and nothing in it is checked: unpack it and check the folder",
        "structure": "the ZIP is not as it was written, from byte {} on", "no zip": "this is no ZIP that can be read",
        "changed": "its bytes are not those that its sum was taken of", "missing": "it is missing",
        "added": "it was added", "sums": "it is not as the auditor writes it",
        "not ours": "this is no case file that this auditor knows", "signature": "the signature does not hold: {}",
        "verdict": "the log is judged otherwise now. {}",
        "made otherwise": "the auditor does not make this file so from the originals",
        "no signature": "expected a signature, found none",
        "other key": "signed by another key than the one asked for: {}",
    },
    "ar": {
        "made": "{}: ملف قضية، ملفاته: {}", "log": "  {}: {} {}", "signed": "  موقّع بالمفتاح {}",
        "unsigned": "  غير موقّع", "key": "المفتاح الخاص: {} (لا تُطلِع عليه أحدًا)", "public": "المفتاح العلني: {}",
        "secret": "السر: {} (لا تُطلِع عليه أحدًا، واحفظه للإصدار التالي)",
        "id": "معرّف المفتاح: {}", "files": "{}: الملفات: {}، السجلات: {}", "by": "صنعه المدقّق {} بكتاب القواعد {}",
        "other": "المدقّق العامل الآن غيره: لا يُقابَل إلا الحالات والملاحظات",
        "signer": "موقّع بالمفتاح {}، وهو المطلوب",
        "unknown signer": "موقّع بالمفتاح {}؛ ولا يقول هذا الملف لمن هو: قابِله بالخيار ⁦--key⁩",
        "whole": "لم يُغيَّر شيء ولم يُزَد ولم يُنقَص، والنتائج هي نفسها",
        "the case": "ملف القضية", "link": "المتوقّع ملف عادي، والموجود وصلة أو غيرها",
        "name": "لا محلّ لملف بهذا الاسم في القضية، أو هو فيها مرتين", "empty": "مجلّد بلا ملفات",
        "damaged": "لا تُقرأ بايتاته، أو ليست تلك التي حُفظت",
        "packed": "حزم هذا الـZIP برنامج آخر، ولا يُتحقّق من شيء فيه: فُكّه وتحقّق من المجلّد",
        "structure": "ليس ملف ZIP كما كُتب، من البايت {} فصاعدًا", "no zip": "ليس هذا ملف ZIP يُقرأ",
        "changed": "ليست بايتاته تلك التي أُخذت بصمتها", "missing": "ناقص",
        "added": "زِيد", "sums": "ليس كما يكتبه المدقّق",
        "not ours": "ليس هذا ملف قضية يعرفه هذا المدقّق", "signature": "لا يصحّ التوقيع: {}",
        "verdict": "يُحكم على السجل الآن بغير ذلك. {}",
        "made otherwise": "لا يصنع المدقّق هذا الملف هكذا من الأصول",
        "no signature": "المتوقّع توقيع، ولا توقيع", "other key": "موقّع بمفتاح غير المطلوب: {}",
    },
}  # fmt: skip


@main.group(
    cls=DefaultGroup,
    default="make",
    epilog=examples(
        "auditor case server.json client-0.json -o case.zip --sign club-key",
        "auditor case verify case.zip --key club-key.pub",
    ),
)
def case() -> None:
    """Case files: logs, verdicts, a report and all that is needed to check them again.

    "auditor case LOG… -o DIR" is short for "auditor case make LOG… -o DIR".
    """


@case.command(
    epilog=examples(
        "auditor case server.json client-0.json -o case.zip",
        "auditor case archive.ndjson --match M-2041 -o case --sign key",
    )
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="What to make: a ZIP, if it is called ….zip, or a folder. It must not be there yet.",
)
@click.option("--match", "match_id", metavar="ID", help="Only the match with this id.")
@click.option("--sign", "key", type=click.Path(path_type=Path), help="Sign it with this private key.")
@language_option
def make(logs: Sequence[str], output: Path, match_id: str | None, key: Path | None, language: Language) -> None:
    """Make a case file of the match logs in LOGs.

    It holds the logs as they were found and in canonical form, the verdicts, a report as one page in both languages
    (which opens in --lang), the clauses that are cited, how to check it all again, and the sum of every file. The
    exit code is 0 if it was made, whatever the verdicts say.
    """
    signer = None if key is None else signing.signer_of(key)
    console = Screen(highlight=False, soft_wrap=True)
    with progress(console, "text", "logs read") as step:
        pieces = casefile.gathered(logs, match_id, step)
    with progress(console, "text") as step:
        made = casefile.case_of(pieces, signer, language, step)
        files = casefile.files_of(made, report_of)
    if key is not None:
        files[casefile.SIGNATURE] = signing.signed(files[casefile.SUMS], signing.CASE, key)
    archive.write(output, files)
    say = _PHRASES[language]
    console.print(Text(say["made"].format(named(output, language), len(files)), style="bold"))
    for exhibit in made.exhibits:
        match = named(exhibit.verdict.match or "–", language)
        console.print(Text(say["log"].format(exhibit.names[0], word(exhibit.verdict.status, language), match)))
    console.print(Text(say["unsigned"] if signer is None else say["signed"].format(signer.id)))


@case.command(
    epilog=examples("auditor case verify case.zip", "auditor case verify case --key key.pub --lang ar"),
)
@click.argument("path", metavar="DIR|ZIP", type=click.Path(path_type=Path))
@click.option("--key", type=click.Path(path_type=Path), help="The public key that must have signed it.")
@language_option
def verify(path: Path, key: Path | None, language: Language) -> None:
    """Check a case file: every file against its sum, the signature, and the verdicts by auditing the logs again.

    Whatever was changed, added or taken away is named, down to the bytes of a ZIP that belong to no file. The exit
    code is 1 if anything is wrong, and 2 for what is no case file.
    """
    signer = None if key is None else signing.public_key_of(key)
    console = Screen(highlight=False, soft_wrap=True)
    with progress(console, "text") as step:
        outcome = verified(path, report_of, signer, step)
    for line in _outcome_lines(path, outcome, language):
        console.print(line)
    sys.exit(FINDINGS if outcome.doubts else CLEAN)


@main.group(name="key", epilog=examples("auditor key new club-key", "auditor key secret names.key"))
def keys() -> None:
    """Keys to sign case files and archives with, and secrets for pseudonyms."""


@keys.command(name="new", epilog=examples("auditor key new club-key"))
@click.argument("file", type=click.Path(path_type=Path))
@language_option
def new_key(file: Path, language: Language) -> None:
    """Make an Ed25519 key: the private one in FILE, for its owner alone, and the public one in FILE.pub.

    No file is overwritten.
    """
    public, public_path = signing.new_key(file)
    say = _PHRASES[language]
    click.echo(say["key"].format(named(file, language)))
    click.echo(say["public"].format(named(public_path, language)))
    click.echo(say["id"].format(public.id))
    click.echo(public_path.read_text(encoding="ascii"), nl=False)


@keys.command(name="secret", epilog=examples("auditor key secret names.key"))
@click.argument("file", type=click.Path(path_type=Path))
@language_option
def secret(file: Path, language: Language) -> None:
    """Make a secret that gives players their pseudonyms ("auditor publish --pseudonyms"), in FILE.

    Whoever has it can tell which pseudonym a player has. Keep it for the next edition, and out of the archive.
    """
    new_secret(file)
    click.echo(_PHRASES[language]["secret"].format(named(file, language)))


def report_of(made: Case) -> str:
    """The report of a case: one page."""
    from auditor.pages import Exhibit, case_page  # templates take a moment to load; nothing else should wait for them

    exhibits = [
        Exhibit(
            exhibit.verdict,
            exhibit.entry if isinstance(exhibit.entry, Log) else None,
            exhibit.moments,
            Place(exhibit.piece.origin.file, exhibit.piece.origin.line, exhibit.piece.origin.offset),
            exhibit.names,
        )
        for exhibit in made.exhibits
    ]
    comparison = None
    if made.comparison is not None:
        logs = [exhibit.entry for exhibit in made.exhibits if isinstance(exhibit.entry, Log)]
        comparison = {
            language: [line.plain for line in comparison_lines(made.comparison, logs, (), language)]
            for language in LANGUAGES
        }
    signer = None if made.signer is None else made.signer.id
    return case_page(exhibits, COMMAND, signer, comparison, made.language)


def _outcome_lines(path: Path, outcome: Outcome, language: Language) -> list[Text]:
    say = _PHRASES[language]
    lines = [Text(say["files"].format(named(path, language), outcome.file_count, outcome.log_count), style="bold")]
    if outcome.made_by is not None:
        version, rules = (named(part, language) for part in outcome.made_by)
        lines.append(Text(say["by"].format(version, rules)))
        if not outcome.is_same_auditor:
            lines.append(Text(say["other"], style="yellow"))
    if outcome.signer is not None:
        key = named(outcome.signer, language)
        lines.append(Text(say["signer" if outcome.is_expected else "unknown signer"].format(key)))
    elif outcome.made_by is not None:
        lines.append(Text(say["unsigned"].strip()))
    for doubt in outcome.doubts:
        phrase = say[{"unsigned": "no signature", "key": "other key"}.get(doubt.wrong, doubt.wrong)]
        text = phrase.format(named(doubt.detail, language))
        lines.append(Text(f"  {named(doubt.file, language) if doubt.file else say['the case']}: {text}", style="red"))
    if not outcome.doubts:
        lines.append(Text(say["whole"], style="green"))
    return lines
