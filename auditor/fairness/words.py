"""Words for an account, in English and Arabic: plain sentences first, then a row for each question.

In: an account. Out: text by language, for a terminal and a page alike. Refuses to know how text is laid out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditor import rulebook
from auditor.fairness.account import Account, Answer, Cell, FirstToAct, Part, Proofs, Unit
from auditor.jsontext import visible
from auditor.rulebook import Language, card_sign, isolated, word

#: More of an id is not shown, and more places are not listed; JSON has them all.
_LONGEST, _MOST_PLACES = 200, 10
_LEFT_TO_RIGHT, _END = "\u2066", "\u2069"
#: What is fainter than this is not worth its digits.
_FAINTEST = 1e-9

#: What a question asks about one of its subjects. What stands in braces are the parts of the subject.
_LABELS: dict[Language, dict[str, str]] = {
    "en": {
        "card-seat": "{0} in the hand of seat {1}",
        "rank-seat": "cards of rank {0} in the hand of seat {1}",
        "suit-seat": "{0} in the hand of seat {1}",
        "honour-seat": "honours in the hand of seat {0}",
        "honour-team": "honours in the hands of team {0}",
        "honour-place": "honours in hand {0} after the dealer",
        "honour-hand": "hands of seat {1} with {0} or more honours",
        "honour-deal": "deals with {0} or more honours in every hand",
        "honour-peak": "deals with {0} or more honours in some hand",
        "suit-hand": "hands of seat {1} with {0} or more cards of one suit",
        "previous-deal": "cards that seat {0} had the deal before and seat {1} has now",
        "repeated-deals": "pairs of deals with the same hands",
        "repeated-hands": "pairs of hands with the same cards",
    },
    "ar": {
        "card-seat": "{0} في يد المقعد {1}",
        "rank-seat": "أوراق الرتبة {0} في يد المقعد {1}",
        "suit-seat": "أوراق {0} في يد المقعد {1}",
        "honour-seat": "الصور والآصات في يد المقعد {0}",
        "honour-team": "الصور والآصات في يدي الفريق {0}",
        "honour-place": "الصور والآصات في اليد {0} بعد الموزّع",
        "honour-hand": "أيدي المقعد {1} التي فيها {0} على الأقل من الصور والآصات",
        "honour-deal": "توزيعات في كل يد منها {0} على الأقل من الصور والآصات",
        "honour-peak": "توزيعات في يد ما منها {0} على الأقل من الصور والآصات",
        "suit-hand": "أيدي المقعد {1} التي فيها {0} أوراق على الأقل من نقش واحد",
        "previous-deal": "أوراق كانت للمقعد {0} في التوزيع السابق وصارت للمقعد {1}",
        "repeated-deals": "أزواج التوزيعات ذات الأيدي نفسها",
        "repeated-hands": "أزواج الأيدي ذات الأوراق نفسها",
    },
}

#: What a question is about as a whole.
_NAMES: dict[Language, dict[str, str]] = {
    "en": {
        "card-seat": "each card, by seat", "rank-seat": "ranks, by seat", "suit-seat": "suits, by seat",
        "honour-seat": "honours, by seat", "honour-team": "honours, by team",
        "honour-place": "honours, by place after the dealer", "honour-hand": "how many honours a hand has, by seat",
        "honour-deal": "honours in the poorest hand of a deal", "honour-peak": "honours in the richest hand of a deal",
        "suit-hand": "the longest suit of a hand, by seat", "previous-deal": "what is left of the deal before",
        "repeated-deals": "deals that come again", "repeated-hands": "hands that come again",
    },
    "ar": {
        "card-seat": "كل ورقة بحسب المقعد", "rank-seat": "الرتب بحسب المقعد", "suit-seat": "النقوش بحسب المقعد",
        "honour-seat": "الصور والآصات بحسب المقعد", "honour-team": "الصور والآصات بحسب الفريق",
        "honour-place": "الصور والآصات بحسب الموضع بعد الموزّع",
        "honour-hand": "عدد الصور والآصات في اليد بحسب المقعد",
        "honour-deal": "الصور والآصات في أفقر يد من التوزيع", "honour-peak": "الصور والآصات في أغنى يد من التوزيع",
        "suit-hand": "أطول نقش في اليد بحسب المقعد", "previous-deal": "ما بقي من التوزيع السابق",
        "repeated-deals": "توزيعات تتكرّر", "repeated-hands": "أيدٍ تتكرّر",
    },
}  # fmt: skip

_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "title": "Are the deals what shuffled cards would give?",
        "usual": "nothing unusual in {} deals", "too few": "too few deals to tell: {}",
        "unusual": "something unusual in {} deals",
        "no cards": "no cards are dealt", "no deals": "no deal is whole in these logs",
        "visible": "A seat with {} more honours than its share would have been found, four times in five.",
        "against": "{0}: {1} against {2} expected", "tiny": "there, but tiny: {0}: {1} against {2} expected",
        "repeated": "deal {0} of match {1} is deal {2} of match {3}", "more": "and {} more",
        "first": "The side that acts first: its lead is {0} points a deal (95%: {1} to {2}; deals: {3}).",
        "wins": "It won {0} of {1} matches that it opened, {2} (95%: {3} to {4}; even: {5}).",
        "skill": "That is an observation and no test: rules and skill are in it.",
        "proofs": "Shuffle proofs: deals verified {0}, failed {1}, not checkable {2}.",
        "failure": "the shuffle proof of match {0} fails for: {1}", "deal": "deal {}",
        "left out": "Deals left out: {0} with unseen cards, {1} that are no deal of the pack.",
        "rate": "Fair cards would be called unusual in at most {0} of such examinations; questions: {1}.",
        "honours": "Honours are aces, kings, queens and jacks.",
        "logs": "Logs: {0}; of a match that was counted before: {1}; no match logs: {2}.",
        "observed": "observed", "expected": "expected", "difference": "difference", "p": "p", "what": "what",
        "of": "furthest of {}",
        "share": "{} of deals", "mean": "{} a deal", "pairs": "{} pairs",
        "plot": "Points are what was observed, bars the interval, the line what is expected.",
        "details": "All questions; p and the intervals are corrected for all that was asked",
    },
    "ar": {
        "title": "هل التوزيعات كما يعطيها ورق مخلوط؟",
        "usual": "لا شيء غير مألوف؛ التوزيعات: {}", "too few": "التوزيعات أقلّ من أن يُحكم عليها: {}",
        "unusual": "أمر غير مألوف؛ التوزيعات: {}",
        "no cards": "لا يُوزَّع فيها ورق", "no deals": "ليس في هذه السجلات توزيع كامل",
        "visible": "لو زادت الصور والآصات عند مقعد على حصّته بقدر {} لانكشف ذلك أربع مرات من خمس.",
        "against": "{0}: {1}، والمتوقّع {2}", "tiny": "موجود لكنه ضئيل: {0}: {1}، والمتوقّع {2}",
        "repeated": "التوزيع {0} من المباراة {1} هو التوزيع {2} من المباراة {3}", "more": "وغيرها: {}",
        "first": "الطرف الذي يبدأ: يتقدّم بقدر {0} من النقاط في التوزيع (95%: من {1} إلى {2}؛ التوزيعات: {3}).",
        "wins": "فاز بعدد {0} من {1} من المباريات التي افتتحها، أي {2} (95%: من {3} إلى {4}؛ التساوي: {5}).",
        "skill": "هذه ملاحظة لا اختبار: ففيها أثر القواعد والمهارة.",
        "proofs": "إثباتات الخلط: توزيعات صحّت {0}، لم تصحّ {1}، لا يمكن التحقّق منها {2}.",
        "failure": "لا يصحّ إثبات الخلط للمباراة {0}: {1}", "deal": "التوزيع {}",
        "left out": "توزيعات لم تُحسب: فيها أوراق غير مرئية {0}، ليست توزيعًا للشدّة {1}.",
        "honours": "الصور هي الشايب والبنت والولد.",
        "rate": "لا يُعدّ الورق المخلوط غير مألوف في أكثر من {0} من مثل هذه الفحوص؛ الأسئلة: {1}.",
        "logs": "السجلات: {0}؛ لمباراة حُسبت من قبل: {1}؛ ليست سجلات مباريات: {2}.",
        "observed": "المشاهَد", "expected": "المتوقّع", "difference": "الفرق", "p": "⁦p⁩", "what": "السؤال",
        "of": "الأبعد من {}",
        "share": "{} من التوزيعات", "mean": "{} في التوزيع", "pairs": "الأزواج {}",
        "plot": "النقاط هي المشاهَد، والأعمدة هي المجال، والخط هو المتوقّع.",
        "details": "جميع الأسئلة؛ وقيم ⁦p⁩ والمجالات مصحّحة بكل ما سُئل",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One question: its furthest subject, what was observed and expected, the difference with its interval, and p."""

    label: str
    observed: str
    expected: str
    difference: str
    p: str
    answer: Answer

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells of the row, in the order of the columns."""
        return self.observed, self.expected, self.difference, self.p, self.label


def phrase(key: str, language: Language, *parts: object) -> str:
    """What the examination says itself; numbers and names keep their direction inside an Arabic sentence."""
    return _PHRASES[language][key].format(*(_isolated(str(part), language) for part in parts))


def title(part: Part, language: Language) -> str:
    """The name of the game."""
    return rulebook.book(part.ruleset).title[language]


def headline(part: Part, language: Language) -> str:
    """The plain answer for a ruleset, without its name."""
    key = "no deals" if part.status == "too few" and part.deals == 0 else part.status
    return phrase(key, language, f"{part.deals:,}")


def alarms(part: Part, language: Language) -> list[str]:
    """What is unusual, one sentence each: answers, repeated deals, shuffle proofs that fail."""
    lines = [_against("against", answer, language) for answer in part.unusual]
    lines += _some(
        [
            phrase("repeated", language, it.deal + 1, _name(it.match), it.earlier_deal + 1, _name(it.earlier_match))
            for it in part.repeated
        ],
        language,
    )
    lines += _some(
        [
            phrase(
                "failure",
                language,
                _name(it.match),
                _listed([phrase("deal", language, deal + 1) for deal in it.deals[:_MOST_PLACES]], language),
            )
            for it in part.proofs.failures
        ],
        language,
    )
    return lines


def remarks(part: Part, language: Language) -> list[str]:
    """What else there is to say of a ruleset, one sentence each."""
    lines = [_against("tiny", answer, language) for answer in part.answers if answer.standing == "tiny"]
    if part.visible is not None:
        lines.append(phrase("visible", language, _percent(part.visible)))
    if part.unseen or part.misdealt:
        lines.append(phrase("left out", language, f"{part.unseen:,}", f"{part.misdealt:,}"))
    if _is_any(part.proofs):
        proofs = part.proofs
        lines.append(
            phrase("proofs", language, *(f"{it:,}" for it in (proofs.verified, proofs.failed, proofs.unchecked)))
        )
    if part.first_to_act is not None:
        lines += _first(part.first_to_act, language)
    return lines


def notes(account: Account, language: Language) -> list[str]:
    """What holds for the whole account, one sentence each."""
    lines = []
    if account.questions:
        lines += [phrase("rate", language, _percent(account.alpha), account.questions), phrase("honours", language)]
    counts = (account.logs, account.seen_before, account.unreadable)
    return [*lines, phrase("logs", language, *(f"{count:,}" for count in counts))]


def columns(language: Language) -> list[str]:
    """The heads of the columns of a table."""
    return [_PHRASES[language][key] for key in ("observed", "expected", "difference", "p", "what")]


def rows(part: Part, language: Language) -> list[Row]:
    """One row a question."""
    return [_row(answer, language) for answer in part.answers]


def cell_told(answer: Answer, cell: Cell, language: Language) -> str:
    """What was observed and expected of one subject, in a sentence."""
    return _told("against", answer, cell, language)


def name_of(answer: Answer, language: Language) -> str:
    """What a question is about as a whole."""
    return _NAMES[language][answer.question]


def subject_label(answer: Answer, cell: Cell, language: Language) -> str:
    """What a number is about."""
    parts = [_subject(answer.question, at, part, language) for at, part in enumerate(cell.subject)]
    return _LABELS[language][answer.question].format(*(_isolated(part, language) for part in parts))


def amount(value: float, unit: Unit) -> str:
    """A share in percent, cards a deal, or a number of pairs."""
    if unit == "share":
        return _percent(value)
    if unit == "pairs":
        return f"{value:,.0f}" if value >= 10 or value == int(value) else _few(value)
    return f"{value:.3f}"


def _row(answer: Answer, language: Language) -> Row:
    cell = answer.cells[answer.worst]
    label = subject_label(answer, cell, language)
    if len(answer.cells) > 1:
        label = f"{label} ({phrase('of', language, len(answer.cells))})"
    low, high = (_signed(end - cell.expected, answer.unit) for end in (cell.low, cell.high))
    difference = f"{_signed(cell.observed - cell.expected, answer.unit)} ({low} … {high})"
    return Row(
        label=label,
        observed=amount(cell.observed, answer.unit),
        expected=amount(cell.expected, answer.unit),
        difference=difference,
        p=_chance(answer.p),
        answer=answer,
    )


def _against(key: str, answer: Answer, language: Language) -> str:
    return _told(key, answer, answer.cells[answer.worst], language)


def _told(key: str, answer: Answer, cell: Cell, language: Language) -> str:
    observed = phrase(answer.unit, language, amount(cell.observed, answer.unit))
    expected = _isolated(amount(cell.expected, answer.unit), language)
    return _PHRASES[language][key].format(subject_label(answer, cell, language), observed, expected)


def _first(it: FirstToAct, language: Language) -> list[str]:
    ends = (f"{value:+.2f}".replace("-", "−") for value in (it.lead, it.lead_low, it.lead_high))
    lines = [phrase("first", language, *ends, f"{it.deals:,}")]
    if it.matches:
        shares = (_percent(value) for value in (it.share, it.share_low, it.share_high, it.even_share))
        lines.append(phrase("wins", language, f"{it.wins:,}", f"{it.matches:,}", *shares))
    return [*lines, phrase("skill", language)]


def _is_any(proofs: Proofs) -> bool:
    return bool(proofs.verified or proofs.failed or proofs.unchecked)


def _subject(question: str, at: int, part: str | int, language: Language) -> str:
    if question == "card-seat" and at == 0:
        return card_sign(str(part))
    if question == "rank-seat" and at == 0:
        return str(part).replace("T", "10")
    if question == "suit-seat" and at == 0:
        return word(str(part), language)
    return str(part)


def _some(lines: Sequence[str], language: Language) -> list[str]:
    rest = len(lines) - _MOST_PLACES
    return [*lines[:_MOST_PLACES], *([phrase("more", language, rest)] if rest > 0 else [])]


def _listed(parts: Sequence[str], language: Language) -> str:
    return ("، " if language == "ar" else ", ").join(parts)


def _name(text: str) -> str:
    return visible(text, _LONGEST)


def _isolated(text: str, language: Language) -> str:
    is_number = text[:1] in "+−0123456789"
    return f"{_LEFT_TO_RIGHT}{text}{_END}" if is_number and language == "ar" else isolated(text, language)


def _percent(share: float) -> str:
    """A share in percent: one digit after the point, and more where it is small or near the whole."""
    edge = min(abs(share), abs(1 - share))
    digits = 1 if edge >= 0.01 or edge == 0 else 3
    return f"{100 * share:.{digits}f}%"


def _signed(value: float, unit: Unit) -> str:
    if unit == "share":
        text = f"{100 * value:+.2f}%"
    elif unit == "pairs":
        text = f"{value:+,.0f}" if abs(value) >= 10 or abs(value) < 0.05 else f"{value:+.1f}"
    else:
        text = f"{value:+.3f}"
    is_nothing = not text.strip("+-0.%")
    return text[1:] if is_nothing else text.replace("-", "−")


def _few(value: float) -> str:
    """A number of pairs of which there is hardly one."""
    return "< 0.001" if value < 0.001 else f"{value:.2g}"


def _chance(p: float) -> str:
    return f"< {_FAINTEST:.0e}" if p < _FAINTEST else f"{p:.2g}"
