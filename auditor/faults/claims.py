"""Wrong claims, refusals and ends, as any ruleset knows them."""

from __future__ import annotations

from auditor.faults import Faults, Site


def _refused_though_legal(site: Site) -> int | None:
    index = site.place(site.pick(["play", "bid", "pass", "trump"]))
    if index is not None:
        act = {key: value for key, value in site.log[index].items() if key != "by"}
        site.log.insert(index, {**act, "refused": True})
    return index


def _wrong_points(site: Site) -> int | None:
    return _change_score(site, "deal")


def _wrong_total(site: Site) -> int | None:
    return _change_score(site, "total")


def _change_score(site: Site, key: str) -> int | None:
    index = site.place("score")
    if index is not None:
        numbers = list(site.log[index][key])
        numbers[int(site.chance.random() * len(numbers))] += site.pick([-20, -2, -1, 1, 2, 40])
        site.log[index][key] = numbers
    return index


def _score_claimed_twice(site: Site) -> int | None:
    index = site.place("score")
    if index is None:
        return None
    site.log.insert(index + 1, dict(site.log[index]))
    return index + 1


def _wrong_result(site: Site) -> int | None:
    index = site.place("result")
    if index is not None:
        site.log[index]["winner"] = site.pick([None, 1 - (site.log[index]["winner"] or 0)])
    return index


def _deal_after_the_end(site: Site) -> int | None:
    opener = next((event for event in site.log if event["type"] in ("deal", "round")), None)
    if opener is None:
        return None
    site.log.append(dict(opener))
    return len(site.log) - 1


FAULTS: Faults = {
    "refused-though-legal": ("illegal", "refusal.legal", _refused_though_legal),
    "wrong-points": ("claim", "claim.score", _wrong_points),
    "wrong-total": ("claim", "claim.total", _wrong_total),
    "score-claimed-twice": ("claim", "claim.score", _score_claimed_twice),
    "wrong-result": ("claim", "claim.result", _wrong_result),
    "deal-after-the-end": ("illegal", "match.over", _deal_after_the_end),
}
