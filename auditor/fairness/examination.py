"""The examination of an archive: match logs go in one after another, and the account comes out.

In: what the reader hands on. Out: an account. Refuses to know where logs lie and how an account is shown. Of a match it
keeps the id, of a deal a few bytes to know it again; everything else is counted and let go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import fsum, sqrt
from types import ModuleType
from typing import TYPE_CHECKING, Any

from auditor.errors import CannotAudit
from auditor.fairness.account import Account, FailedProof, FirstToAct, Part, Proofs, RepeatedDeal, Status
from auditor.fairness.intake import Intake, Outcome, Taken
from auditor.log import Log, Unreadable

if TYPE_CHECKING:
    from auditor.fairness.counting import Row
    from auditor.fairness.deck import Deck
    from auditor.fairness.judging import Judged

DEFAULT_ALPHA = 0.01
#: Where a seat could have this part more honours without being found, the deals are too few to say anything.
TOO_COARSE = 0.1
#: So many deals are counted at once.
_PORTION = 4096
#: First to act is an observation, with the usual interval of 95 %.
_DOUBT, _REACH = 0.05, 1.959964


def examined(entries: Iterable[Log | Unreadable], alpha: float = DEFAULT_ALPHA, ruleset: str | None = None) -> Account:
    """The account of some logs, of one ruleset or all.

    Raises ``CannotAudit`` where SciPy is missing, for an ``alpha`` that is no probability, and where a log is a file
    that cannot be read.
    """
    examination = Examination(alpha, ruleset)
    for entry in entries:
        examination.add(entry)
    return examination.account()


class _Lead:
    """The points by which the side that acts first leads, and how the matches ended that it opened."""

    def __init__(self) -> None:
        #: By the number of other sides: deals, the sum of the leads and that of their squares, in parts of a point.
        self._leads: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
        #: By the number of sides: matches that were opened, and won by the side that did it.
        self.opened: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])

    def add(self, outcome: Outcome) -> None:
        others = len(outcome.points) - 1
        lead = outcome.points[outcome.first_side] * (others + 1) - sum(outcome.points)
        for at, number in enumerate((1, lead, lead * lead)):
            self._leads[others][at] += number

    def summed_up(self, laws: ModuleType) -> FirstToAct | None:
        """``None`` where no deal was scored."""
        deals = sum(count for count, _, _ in self._leads.values())
        if not deals:
            return None
        mean = fsum(lead / others for others, (_, lead, _) in self._leads.items()) / deals
        squares = fsum(square / others**2 for others, (_, _, square) in self._leads.items()) / deals
        reach = _REACH * sqrt(max(0.0, squares - mean * mean) / deals)
        matches = sum(count for count, _ in self.opened.values())
        wins = sum(won for _, won in self.opened.values())
        share, low, high = 0.0, 0.0, 1.0
        if matches:
            [(fewest, most)] = laws.intervals([(wins, {0.5: matches})], _DOUBT)
            share, low, high = wins / matches, fewest / matches, most / matches
        even = fsum(count / sides for sides, (count, _) in self.opened.items()) / matches if matches else 0.0
        return FirstToAct(deals, mean, mean - reach, mean + reach, matches, wins, share, low, high, even)


class _Ruleset:
    """What has come in of one ruleset."""

    def __init__(self, counting: ModuleType) -> None:
        self.tally = counting.Tally()
        self.lead = _Lead()
        self.has_cards = False
        self.matches = self.unseen = self.misdealt = self.verified = self.unchecked = self.failed = 0
        self.failures: list[FailedProof] = []
        self._counting = counting
        self._waiting: defaultdict[tuple[Deck, bool], list[Row]] = defaultdict(list)

    def check(self, match_id: str, taken: Taken) -> None:
        """Note what was left out of a log, and how its shuffle proof fared."""
        self.has_cards |= taken.deck is not None
        self.unseen += taken.unseen
        self.misdealt += taken.misdealt
        self.verified += taken.verified
        self.unchecked += taken.unchecked
        self.failed += len(taken.failed)
        if taken.failed:
            self.failures.append(FailedProof(match_id, tuple(taken.failed)))

    def add(self, number: int, taken: Taken) -> None:
        """Count a match, which is number ``number`` of those counted."""
        self.matches += 1
        for outcome in taken.outcomes:
            self.lead.add(outcome)
        if taken.opener is not None and taken.winner is not None:
            opened = self.lead.opened[taken.side_count]
            opened[0] += 1
            opened[1] += taken.opener == taken.winner
        if taken.deck is None:
            return
        previous = None
        for deal in taken.deals:
            for batch in deal.batches:
                follows = previous is not None and deal.number == previous + 1 and batch.pool is None
                self._waiting[taken.deck, batch.pool is None].append(
                    self._counting.Row(batch, number, deal.number, follows)
                )
            previous = deal.number
        for deck, is_whole in list(self._waiting):
            if len(self._waiting[deck, is_whole]) >= _PORTION:  # only between matches: a deal may follow the one before
                self._count(deck, is_whole)

    def finish(self) -> None:
        """Count what still waits."""
        for deck, is_whole in list(self._waiting):
            self._count(deck, is_whole)

    def _count(self, deck: Deck, is_whole: bool) -> None:
        rows = self._waiting.pop((deck, is_whole))
        self.tally.add(self._counting.deals_of(deck, rows))


class Examination:
    """An archive that is being looked through."""

    def __init__(self, alpha: float = DEFAULT_ALPHA, ruleset: str | None = None) -> None:
        if not 0 < alpha < 1:
            raise CannotAudit(f"expected a rate of false alarms between 0 and 1, found {alpha}")
        self._alpha = alpha
        self._only = ruleset
        self._library = _library()
        self._intake = Intake()
        self._rulesets: dict[str, _Ruleset] = {}
        #: The matches that were counted, in order.
        self._numbers: dict[str, int] = {}
        self._logs = self._unreadable = self._seen_before = 0

    def add(self, entry: Log | Unreadable) -> None:
        """Count what a log says. Of several logs of a match, by its id, the first counts that shows a whole deal."""
        if isinstance(entry, Unreadable):
            if entry.is_no_file:
                raise CannotAudit(f"{entry.place.file}: expected match logs, found nothing that can be read")
            self._unreadable += 1
            return
        match = entry.match
        if self._only not in (None, match.ruleset):
            return
        self._logs += 1
        if match.match in self._numbers:
            self._seen_before += 1
            return
        taken = self._intake.take(entry)
        if match.ruleset not in self._rulesets:
            self._rulesets[match.ruleset] = _Ruleset(self._library.counting)
        ruleset = self._rulesets[match.ruleset]
        ruleset.check(match.match, taken)
        if taken.deals or taken.deck is None:
            ruleset.add(len(self._numbers), taken)
            self._numbers[match.match] = len(self._numbers)

    def account(self) -> Account:
        """What all logs so far come to."""
        for ruleset in self._rulesets.values():
            ruleset.finish()
        tallies = {name: it.tally for name, it in sorted(self._rulesets.items())}
        questions, judged = self._library.judging.judged(tallies, self._alpha)
        ids = list(self._numbers)
        parts = tuple(_part(name, self._rulesets[name], judged.get(name), ids, self._library.laws) for name in tallies)
        return Account(self._alpha, questions, self._logs, self._unreadable, self._seen_before, parts)


def _part(name: str, ruleset: _Ruleset, judged: Judged | None, ids: list[str], laws: ModuleType) -> Part:
    answers = () if judged is None else judged.answers
    visible = None if judged is None else judged.visible
    status: Status = "usual"
    if not ruleset.has_cards:
        status = "no cards"
    elif any(answer.standing == "unusual" for answer in answers):
        status = "unusual"
    elif visible is None or visible > TOO_COARSE:
        status = "too few"
    return Part(
        ruleset=name,
        status=status,
        matches=ruleset.matches,
        deals=ruleset.tally.deal_count,
        unseen=ruleset.unseen,
        misdealt=ruleset.misdealt,
        visible=visible,
        answers=answers,
        repeated=tuple(
            RepeatedDeal(ids[later.match], later.deal, ids[earlier.match], earlier.deal)
            for earlier, later in (() if judged is None else judged.repeated)
        ),
        first_to_act=ruleset.lead.summed_up(laws),
        proofs=Proofs(ruleset.verified, ruleset.failed, ruleset.unchecked, tuple(ruleset.failures)),
    )


class _Library:
    """What rests on the packages of the extra."""

    def __init__(self) -> None:
        from auditor.fairness import counting, judging, laws

        self.counting: Any = counting
        self.judging: Any = judging
        self.laws: Any = laws


def _library() -> _Library:
    try:
        return _Library()
    except ImportError as error:
        raise CannotAudit(
            "statistics need the packages of the extra “fairness”: pip install 'auditor[fairness]'"
        ) from (error)
