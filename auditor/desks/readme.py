"""The text that lies in every case file and says how to check it.

In: nothing. Out: a template; ``version`` is that of the auditor. Refuses to know which logs are in the case.
"""

README = """\
CASE FILE

report.html        what was found, to read: open it in a browser, no network is needed
originals/         each log as it was found, byte for byte
logs/              the same logs in canonical form (RFC 8785), of which the digests are taken
verdicts/          what the auditor says of each log, whole
clauses.json       the clauses of the rulebook that the verdicts cite, in English and Arabic, with their sources
reconciliation.json  where the logs differ, if they are of one match
case.json          which auditor made this case, and from which files
SHA256SUMS         the sum of every file above
signature.json     who vouches for the sums, if the case is signed (DSSE, Ed25519)

To check it again, with the auditor {version} installed, in this folder:

    auditor case verify .

It compares each file with its sum, checks the signature, and audits the logs again. Say whose signature you expect:

    auditor case verify . --key KEY.pub

Without the auditor, the sums alone:

    sha256sum -c SHA256SUMS

A case that came as a ZIP is checked as it came: auditor case verify CASE.zip


ملف القضية

report.html        ما وُجد، للقراءة: يُفتح في متصفّح بلا شبكة
originals/         كل سجل كما وُجد، بايتًا بايتًا
logs/              السجلات نفسها بصيغتها القانونية (RFC 8785)، ومنها تُؤخذ البصمات
verdicts/          نتيجة تدقيق كل سجل كاملة
clauses.json       بنود كتاب القواعد التي تذكرها النتائج، بالعربية والإنكليزية، مع مصادرها
reconciliation.json  مواضع اختلاف السجلات إن كانت لمباراة واحدة
case.json          أيّ مدقّق صنع هذا الملف، ومن أيّ ملفات
SHA256SUMS         بصمة كل ملف ممّا سبق
signature.json     من يشهد على البصمات، إن كان الملف موقّعًا (DSSE, Ed25519)

لإعادة التحقّق، مع المدقّق {version}، في هذا المجلّد:

    auditor case verify .

يقابل هذا الأمر كل ملف ببصمته، ويتحقّق من التوقيع، ويدقّق السجلات من جديد. وإن كنت تنتظر توقيعًا بعينه:

    auditor case verify . --key KEY.pub

وبلا المدقّق، البصمات وحدها:

    sha256sum -c SHA256SUMS

وما جاءك ملف ZIP يُتحقّق منه كما جاء: auditor case verify CASE.zip
"""
