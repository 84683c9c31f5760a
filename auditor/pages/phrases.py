"""What the pages say themselves, in both languages.

In: nothing. Out: phrases by key. Refuses to know what the rulebook says: its words and sentences come from there.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.rulebook import Language

PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "language": "English", "both": "both languages",
        "moment": "Match {}, before event {}", "end": "Match {}, at the end of the log",
        "case": "Case file", "exhibit": "Log {}: match {}",
        "rules": "Rules", "status": "Verdict", "digest": "Digest of the log", "totals": "Totals", "winner": "Winner",
        "nobody": "none", "over": "The match is over.", "not over": "The match is not over.",
        "broken": "The deal is broken; nothing is replayed until the next one.",
        "deal": "Deal", "dealer": "Dealer", "contract": "Contract", "trump": "Trump", "tricks": "Tricks taken",
        "trick": "On the table", "seat": "Seat", "seat n": "seat {}", "player": "Player", "hand": "Hand",
        "unseen": "{} unseen", "opened": "has opened", "seats": "Seats", "stones": "Stones", "board": "Board",
        "meld": "Meld {}, laid by seat {}", "stock": "Stock", "cards": "{} cards",
        "discards": "Discard pile", "due": "Due", "legal": "Legal here", "log has": "The log has",
        "raw": "As it is written",
        "log ends": "The log ends here.", "findings": "Findings", "no finding": "Nothing is found at this event.",
        "clean": "Nothing is found in this log.", "finding": "Finding {}", "event n": "event {}",
        "rule": "The rule", "source": "source: {}", "expected": "Computed", "found": "Claimed", "readings": "Readings",
        "follows": "Follows from finding {}.",
        "ledger": "What deal {} scored, line by line", "line": "Line", "side": "Side", "points": "Points",
        "reason": "Reason", "events": "Events", "computed": "computed", "claimed": "claimed",
        "sum": "Side {}: computed {}, claimed {}", "sum unclaimed": "Side {}: computed {}",
        "deals": "Deals", "outcome": "Outcome", "table": "The table before this event",
        "place": "Place", "events count": "Events", "producer": "Written by", "players": "Players",
        "options": "Options", "origin": "Taken from", "origin at": "{}, line {}, byte {}",
        "files": "Files of this log", "about": "About this case file",
        "compared": "The logs side by side",
        "check": "Check it again",
        "check how": "With the auditor installed, this command compares every file with its sum, checks the"
        " signature if there is one, and audits the logs again:",
        "version": "Auditor {}, rulebook {}", "signer": "Signed with the key {}",
        "unsigned": "Not signed.", "not a log": "This is no match log.",
    },
    "ar": {
        "language": "العربية", "both": "باللغتين",
        "moment": "المباراة {}، قبل الحدث {}", "end": "المباراة {}، عند نهاية السجل",
        "case": "ملف القضية", "exhibit": "السجل {}: المباراة {}",
        "rules": "القواعد", "status": "نتيجة التدقيق", "digest": "بصمة السجل", "totals": "المجموع", "winner": "الفائز",
        "nobody": "لا أحد", "over": "انتهت المباراة.", "not over": "لم تنتهِ المباراة.",
        "broken": "التوزيع مقطوع، ولا يُعاد تشغيل شيء حتى التوزيع التالي.",
        "deal": "التوزيع", "dealer": "الموزّع", "contract": "الطلب", "trump": "الطرنيب", "tricks": "اللمّات المأخوذة",
        "trick": "على الطاولة", "seat": "المقعد", "seat n": "المقعد {}", "player": "اللاعب", "hand": "اليد",
        "unseen": "غير مرئية: {}", "opened": "نزل", "seats": "المقاعد", "stones": "الحجرات", "board": "الرقعة",
        "meld": "الحلّة {}، للمقعد {}", "stock": "كومة السحب", "cards": "عدد الأوراق {}",
        "discards": "كومة المرمي", "due": "المنتظر", "legal": "القانوني هنا", "log has": "في السجل",
        "raw": "كما هو مكتوب",
        "log ends": "ينتهي السجل هنا.", "findings": "الملاحظات", "no finding": "لا شيء على هذا الحدث.",
        "clean": "لا شيء على هذا السجل.", "finding": "الملاحظة {}", "event n": "الحدث {}",
        "rule": "البند", "source": "المصدر: {}", "expected": "المحسوب", "found": "المُعلَن", "readings": "القراءات",
        "follows": "تابعة للملاحظة {}.",
        "ledger": "حساب التوزيع {} سطرًا سطرًا", "line": "السطر", "side": "الطرف", "points": "النقاط",
        "reason": "السبب", "events": "الأحداث", "computed": "المحسوب", "claimed": "المُعلَن",
        "sum": "الطرف {}: المحسوب {}، المُعلَن {}", "sum unclaimed": "الطرف {}: المحسوب {}",
        "deals": "التوزيعات", "outcome": "المآل", "table": "الطاولة قبل هذا الحدث",
        "place": "الموضع", "events count": "الأحداث", "producer": "كتبه", "players": "اللاعبون",
        "options": "الخيارات", "origin": "مأخوذ من", "origin at": "{}، السطر {}، البايت {}",
        "files": "ملفات هذا السجل", "about": "عن هذا الملف",
        "compared": "السجلات جنبًا إلى جنب",
        "check": "إعادة التحقّق",
        "check how": "إن كان المدقّق مثبّتًا فهذا الأمر يقابل كل ملف ببصمته، ويتحقّق من التوقيع إن وُجد، ويدقّق السجلات من"
        " جديد:",
        "version": "المدقّق {}، كتاب القواعد {}", "signer": "موقّع بالمفتاح {}",
        "unsigned": "غير موقّع.", "not a log": "ليس هذا سجلّ مباراة.",
    },
}  # fmt: skip
