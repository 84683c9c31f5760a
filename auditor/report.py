"""What a person reads in a terminal: the table of matches, the first fault in full, one moment of a match, the rules.

In: verdicts, positions, the rulebook. Out: styled lines. Refuses to know where they go: the command line prints.
Whatever a log brings is text: control characters and marks that turn the writing direction are made visible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import UnsetType
from rich.text import Text

from auditor import events, rulebook
from auditor.errors import Place
from auditor.jsontext import visible
from auditor.position import Position
from auditor.rulebook import Language, card_sign, isolated, number_list, word
from auditor.stage import word_for
from auditor.verdict import POINTS, DealResult, Finding, LedgerLine, Verdict

_STYLES = {"clean": "green", "incomplete": "cyan", "misscored": "yellow", "illegal": "red", "invalid": "magenta"}
_COLUMNS = {
    "en": ("status", "match", "ruleset", "deals", "totals", "winner"),
    "ar": ("الحالة", "المباراة", "القواعد", "التوزيعات", "المجموع", "الفائز"),
}
#: More of an id or a path than this is not shown.
_LONGEST_ID, _LONGEST_PATH = 200, 1000
#: So many open points are told in full in the table of matches; further ones are counted.
_MOST_OPEN_POINTS = 3
_WIDTHS = (11, 34, 24, 6, 14, 8)
_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "event": "event {}", "seat": "seat {}", "byte": "byte {}", "legal": "legal here: {}", "and": ", ",
        "more": "further findings: {}", "noted": "noted: {}", "unfinished": "the log stops before the match is over",
        "summary": "matches: {} ({})", "no match": "(no match id)",
        "before": "Match {}, before event {}", "rules": "rules: {}", "totals": "totals: {}",
        "dealer": "dealer: seat {}",
        "contract": "contract: seat {}, {}", "trump": "trump: {}", "tricks": "tricks taken: {}", "trick": "trick: {}",
        "unseen": "{} unseen", "due": "due: {}", "by": "due: {}, seat {}", "act": "the log has: {}",
        "stock": "stock: {} cards", "discards": "discard pile: {} on top, {} cards",
        "meld": "meld {}, laid by seat {}: {}", "opened": "has opened",
        "over": "the match is over", "broken": "the deal is broken; nothing is replayed until the next one",
        "no finding": "no finding at this event", "source": "source: {}", "end": "the log ends here",
        "follows": "follows from what was found at event {}",
        "ledger": "what deal {} scored, line by line:", "line": "  [{}] side {}, {}: {}", "events": "events {}",
        "computed": "  side {}: computed {}", "claimed": ", claimed {}", "difference": ", difference {}",
        "left out": " (as if line {} were left out)", "twice": " (as if line {} counted twice)",
    },
    "ar": {
        "event": "الحدث {}", "seat": "المقعد {}", "byte": "البايت {}", "legal": "القانوني هنا: {}", "and": "، ",
        "more": "ومعها ملاحظات أخرى: {}", "noted": "للعلم: {}", "unfinished": "ينتهي السجل قبل نهاية المباراة",
        "summary": "المباريات: {} ({})", "no match": "(بلا معرّف)",
        "before": "المباراة {}، قبل الحدث {}", "rules": "القواعد: {}", "totals": "المجموع: {}",
        "dealer": "الموزّع: المقعد {}", "contract": "الطلب: المقعد {}، {}", "trump": "الطرنيب: {}",
        "tricks": "اللمّات المأخوذة: {}", "trick": "اللمّة: {}", "unseen": "غير مرئية: {}", "due": "المنتظر: {}",
        "stock": "أوراق كومة السحب: {}", "discards": "كومة المرمي: أعلاها {}، وعدد أوراقها {}",
        "meld": "الحلّة {}، للمقعد {}: {}", "opened": "نزل",
        "by": "المنتظر: {}، من المقعد {}", "act": "في السجل: {}", "over": "انتهت المباراة",
        "broken": "التوزيع مقطوع، ولا يُعاد تشغيل شيء حتى التوزيع التالي",
        "no finding": "لا شيء على هذا الحدث", "source": "المصدر: {}", "end": "ينتهي السجل هنا",
        "follows": "تابعة لما وُجد على الحدث {}",
        "ledger": "حساب التوزيع {} سطرًا سطرًا:", "line": "  [{}] الطرف {}، {}: {}", "events": "الأحداث {}",
        "computed": "  الطرف {}: المحسوب {}", "claimed": "، المُعلَن {}", "difference": "، الفرق {}",
        "left out": " (كأن السطر {} لم يُحسب)", "twice": " (كأن السطر {} حُسب مرتين)",
    },
}  # fmt: skip


def heading(language: Language) -> Text:
    """The first line of the table of matches."""
    return Text(_row(_COLUMNS[language], language), style="bold")


def match_lines(verdict: Verdict, where: Place, language: Language) -> Iterator[Text]:
    """One match's line in the table and, where it is not clean, its first fault in full and where it was read."""
    say = _PHRASES[language]
    winner = "–" if verdict.winner is None else str(verdict.winner)
    cells = (
        word(verdict.status, language),
        visible(verdict.match or say["no match"], _LONGEST_ID),
        visible(verdict.ruleset or "–"),
        str(len(verdict.deals)),
        number_list(verdict.totals) if verdict.totals else "–",
        winner,
    )
    line = Text(_row(cells, language))
    line.stylize(_STYLES[verdict.status], 0, _WIDTHS[0])
    yield line
    fault = verdict.first_fault
    if verdict.status in ("illegal", "misscored", "incomplete"):
        yield from _indented([Text(f"{visible(where.file, _LONGEST_PATH)}:{where.line}", style="dim")])
    if fault is not None:
        yield from _indented(fault_lines(fault, verdict.ruleset, language))
        others = sum(finding.kind in ("schema", "illegal", "claim") for finding in verdict.findings) - 1
        if others:
            yield from _indented([Text(say["more"].format(others), style="dim")])
    elif verdict.status == "incomplete":
        yield from _indented([Text(say["unfinished"], style="dim")])
    leaned = [finding for finding in verdict.findings if finding.kind == "open"]
    for finding in leaned[:_MOST_OPEN_POINTS]:
        yield from _indented(
            [Text(line.plain, style="dim") for line in fault_lines(finding, verdict.ruleset, language)]
        )
    noted = Counter(finding.clause for finding in leaned[_MOST_OPEN_POINTS:])
    noted += Counter(finding.clause for finding in verdict.findings if finding.kind == "note")
    if noted:
        clauses = say["and"].join(f"{clause} ×{count}" for clause, count in noted.items())
        yield from _indented([Text(say["noted"].format(clauses), style="dim")])


def fault_lines(finding: Finding, ruleset: str | None, language: Language) -> Iterator[Text]:
    """One finding in full: where, which clause, what happened, what would have been legal, claimed and computed."""
    say = _PHRASES[language]
    where = [] if finding.event is None else [say["event"].format(finding.event)]
    if finding.seat is not None:
        where.append(say["seat"].format(finding.seat))
    if finding.place is not None:
        where.append(place_of(finding.place, language))
    line = Text(say["and"].join(where))
    line.append(f"  {finding.clause}", style="bold")
    line.append(f"  ({word(finding.kind, language)})")
    yield line
    yield Text(finding.message(ruleset, language))
    if finding.legal:
        yield _legal_line(finding.legal, language)


def _legal_line(legal: Sequence[str], language: Language) -> Text:
    """Cards by their signs, suits and passes by their words, bids as they are."""
    acts = (isolated(card_sign(code) if len(code) == 2 else word(code, language), language) for code in legal)
    return Text(_PHRASES[language]["legal"].format(" ".join(acts)))


def place_of(place: Place, language: Language) -> str:
    """Where a fault of form stands; in front as editors read it."""
    file, pointer = visible(place.file, _LONGEST_PATH), visible(place.pointer, _LONGEST_PATH) or "/"
    parts = (isolated(f"{file}:{place.line}", language), _PHRASES[language]["byte"].format(place.offset))
    return _PHRASES[language]["and"].join((*parts, isolated(pointer, language)))


def summary(statuses: Counter[str], language: Language) -> Text:
    """The last line: how many matches came out how."""
    say = _PHRASES[language]
    parts = say["and"].join(f"{word(status, language)} {statuses[status]}" for status in _STYLES if statuses[status])
    return Text(say["summary"].format(sum(statuses.values()), parts or "–"), style="bold")


def position_lines(position: Position, match: events.Match, verdict: Verdict, language: Language) -> Iterator[Text]:
    """The table before an event, what was due there, what the log has, and what is said of it."""
    before = _PHRASES[language]["before"]
    yield Text(before.format(isolated(visible(match.match, _LONGEST_ID), language), position.event), style="bold")
    yield from table_lines(position, match, language)
    yield from _event_lines(position, match, verdict, language)


def table_lines(position: Position, match: events.Match, language: Language) -> Iterator[Text]:
    """The table before an event, and what was due there."""
    say = _PHRASES[language]
    yield Text(say["rules"].format(rulebook.book(match.ruleset).title[language]))
    yield Text(say["totals"].format(_numbers(position.totals, language)))
    if position.dealer is not None:
        yield Text(say["dealer"].format(position.dealer))
    if position.contract is not None:
        yield Text(say["contract"].format(position.contract.declarer, isolated(position.contract.bid, language)))
    if position.trump is not None:
        yield Text(say["trump"].format(word(position.trump, language)))
    if any(position.tricks_taken):
        yield Text(say["tricks"].format(_numbers(position.tricks_taken, language)))
    if position.trick:
        laid = (f"{say['seat'].format(card.seat)} {_cards([card.card], language)}" for card in position.trick)
        yield Text(say["trick"].format(say["and"].join(laid)))
    yield from _board_lines(position)
    yield from _layout_lines(position, language)
    for seat, hand in enumerate(position.hands):
        name = match.players[seat].name
        shown = visible(match.players[seat].id if isinstance(name, UnsetType) else name)
        held = _cards([*hand, *position.stones[seat]], language)
        line = f"  {say['seat'].format(seat)} ({isolated(shown, language)}): {held}"
        if position.unseen[seat]:
            line += "  " + say["unseen"].format(position.unseen[seat])
        if any(position.opened[seat : seat + 1]):
            line += "  " + say["opened"]
        yield Text(line)
    if position.is_over:
        yield Text(say["over"])
    elif position.is_broken:
        yield Text(say["broken"])
    elif position.awaited is not None:
        awaited = word(position.awaited, language)
        due = say["due"].format(awaited) if position.turn is None else say["by"].format(awaited, position.turn)
        yield Text(due)
        if position.legal:
            yield _legal_line(position.legal, language)


def _board_lines(position: Position) -> Iterator[Text]:
    """The board, row by row from the far side: the number of the seat whose stone lies on a point, or a dot."""
    stones = {point: str(seat) for seat, points in enumerate(position.stones) for point in points}
    files = sorted({point[0] for point in position.board})
    for rank in sorted({point[1:] for point in position.board}, reverse=True):
        yield _left_to_right(f"{rank}  {' '.join(stones.get(file + rank, '·') for file in files)}")
    if files:
        yield _left_to_right(f"   {' '.join(files)}")


def _layout_lines(position: Position, language: Language) -> Iterator[Text]:
    """In a game of melds: the stock, the discard pile, and the melds by the number that a log gives them."""
    say = _PHRASES[language]
    if position.stock_count is None:
        return
    yield Text(say["stock"].format(position.stock_count))
    if position.discards:
        yield Text(say["discards"].format(_cards(position.discards[-1:], language), len(position.discards)))
    for index, meld in enumerate(position.melds):
        yield Text(say["meld"].format(index, meld.seat, _cards(meld.cards, language)))


def _left_to_right(line: str) -> Text:
    """A line that an Arabic page does not turn round."""
    return Text(f"  \u2066{line}\u2069")


def _event_lines(position: Position, match: events.Match, verdict: Verdict, language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    if position.event == len(match.events):
        yield Text(say["end"])
        return
    yield Text(say["act"].format(act(match.events[position.event], language)), style="bold")
    findings = [finding for finding in verdict.findings if finding.event == position.event]
    if not findings:
        yield Text(say["no finding"])
    for finding in findings:
        entry = rulebook.entry(match.ruleset, finding.clause)
        yield Text()
        yield from fault_lines(finding, match.ruleset, language)
        if finding.follows is not None:
            yield Text(say["follows"].format(verdict.findings[finding.follows].event))
        yield Text(entry.rule[language])
        yield Text(say["source"].format(entry.source), style="dim")
    for deal in verdict.deals:
        if deal.lines and _shows_score(position.event, match, deal, findings):
            yield Text()
            yield from ledger_lines(deal, match.ruleset, language)


def _shows_score(index: int, match: events.Match, deal: DealResult, findings: Sequence[Finding]) -> bool:
    """Whether an event is the last of a deal, claims its score, or leaves open what it scores."""
    first, last = deal.events
    is_of_score = isinstance(match.events[index], events.SCORE_CLAIMS) or any(finding.readings for finding in findings)
    return index == last or (first <= index < last and is_of_score)


def ledger_lines(deal: DealResult, ruleset: str, language: Language) -> Iterator[Text]:
    """What a deal scored, from the top down, and what is claimed beside what was computed."""
    say = _PHRASES[language]
    yield Text(say["ledger"].format(deal.index + 1), style="bold")
    for number, line in enumerate(deal.lines):
        style = "" if line.unit == POINTS else "dim"
        amount = _numbers([line.points], language)
        yield Text(say["line"].format(number, line.side, word(line.unit, language), amount), style=style)
        where = say["events"].format(say["and"].join(map(str, line.events)))
        reason = Text(f"      {line.message(ruleset, language)}", style=style)
        yield reason.append(f"  {line.clause}{say['and']}{where}", style="dim")
    for side, points in enumerate(deal.points or ()):
        told = say["computed"].format(side, _numbers([points], language))
        if deal.claimed_points is not None:
            difference = deal.claimed_points[side] - points
            told += say["claimed"].format(_numbers([deal.claimed_points[side]], language))
            if difference:
                told += say["difference"].format(_numbers([difference], language))
                told += _guess(deal.lines, side, difference, language)
        yield Text(told)


def _guess(lines: Sequence[LedgerLine], side: int, difference: int, language: Language) -> str:
    """The one line of a side that explains a wrong claim, left out or counted twice; nothing if it may be another."""
    counted = [(number, line.points) for number, line in enumerate(lines) if line.side == side and line.unit == POINTS]
    found = [("left out", number) for number, points in counted if points == -difference]
    found += [("twice", number) for number, points in counted if points == difference]
    if len(found) != 1:
        return ""
    [(how, number)] = found
    return _PHRASES[language][how].format(number)


def _numbers(values: Sequence[int], language: Language) -> str:
    """Numbers, one a side, each with its sign on its left."""
    text = number_list(values)
    return f"\u2066{text}\u2069" if language == "ar" else text


def _cards(codes: Sequence[str], language: Language) -> str:
    """Cards, or points of a board, in a row that runs from left to right."""
    return isolated(" ".join(map(card_sign, codes)), language)


def act(event: Any, language: Language) -> str:
    """An event as a person would say it: what kind, and its keys."""
    if isinstance(event, events.Note):
        return word("note", language)
    keys = zip(event.__struct_fields__, event.__struct_encode_fields__, strict=True)
    given = {key: getattr(event, field) for field, key in keys if key not in ("at", "hands")}
    values = _PHRASES[language]["and"].join(
        word(key, language) if value is True else f"{word(key, language)} {_value(value, language)}"
        for key, value in given.items()
        if not isinstance(value, UnsetType)
    )
    return f"{word(word_for(type(event)), language)}: {values}"


def rule_lines(book: rulebook.Book, language: Language) -> Iterator[Text]:
    """A ruleset's clauses and open points, in the order of its page."""
    yield Text(book.title[language], style="bold")
    for entry in book.entries.values():
        yield Text()
        yield Text(entry.id, style="bold")
        yield Text(entry.rule[language])
        if entry.readings:
            yield Text(" / ".join(entry.readings))
        yield Text(_PHRASES[language]["source"].format(entry.source), style="dim")


def _value(value: Any, language: Language) -> str:
    if value is None:
        return word("none", language)
    if isinstance(value, bool):
        return word("true" if value else "false", language)
    if isinstance(value, list):
        if value and all(type(part) is int for part in value):
            return _numbers(value, language)
        return " ".join(_value(part, language) for part in value)
    if isinstance(value, str):
        return isolated(word(card_sign(visible(value)), language), language)
    return _numbers([value], language) if isinstance(value, int) else str(value)


def _row(cells: Sequence[str], language: Language) -> str:
    """Cells in columns. On an Arabic line each keeps its own direction, so that none trades places with another."""
    padded = (isolated(cell, language) + " " * (width - len(cell)) for cell, width in zip(cells, _WIDTHS, strict=True))
    return "  ".join(padded).rstrip()


def _indented(lines: Iterable[Text]) -> Iterator[Text]:
    for line in lines:
        yield Text("    ").append_text(line)
