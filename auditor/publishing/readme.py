"""The text that lies in every archive and says what it is and how to check it.

In: nothing. Out: a template. Refuses to know which matches are in the archive.
"""

README = """\
# {title}

Edition {edition}, published by: {publisher}. Licence: {licence}.

{matches} match logs of card and board games ({days}), each replayed and scored again by the rules of its game. Players
go by pseudonyms; chat, devices and whatever else could tell who played were taken out.

Merkle root of all logs: `{root}`

| here | what it is |
|---|---|
| `logs/` | the logs, one match a line (`match-log/1`), packed with Zstandard |
| `tables/` | matches, deals and findings as Parquet |
| `archive.db` | all of it as an SQLite database, with the verdicts whole |
| `metadata.json` | what Datasette is told of that database |
| `QUALITY.md`, `quality.json` | what was audited, what was wrong, what was left out and why |
| `changes.json` | each field of the logs that was dropped or changed |
| `digests.txt` | the digest of each log, in ascending order |
| `datapackage.json` | a description for machines (Data Package) |
| `CITATION.cff` | how to cite it |

The folder above this one is a BagIt bag: it holds the sum of every file. `seal.json` there stands for the whole.

To check it, with auditor {version} installed, in the folder above this one:

    auditor verify .            # sums, description, every log, the root, the signature if there is one
    auditor verify . --audit    # and every verdict again

To browse it:

    auditor serve data/archive.db

or with Datasette alone: `datasette -i data/archive.db -c data/metadata.json -m data/metadata.json`.

To show somebody that one match is in the archive, without giving him the archive:

    auditor prove . --match ID -o proof.json
    auditor prove --check proof.json --root {root}

Without the auditor, the sums alone: `sha256sum -c manifest-sha256.txt`.

<div dir="rtl" lang="ar">

# {title}

الإصدار {edition}، الناشر: {publisher}. الرخصة: {licence}.

{matches} من سجلات مباريات ألعاب الورق والألواح ({days})، أُعيد لعب كل منها وحسابه بقواعد لعبته. للاعبين أسماء مستعارة،
وحُذفت المحادثات والأجهزة وكل ما قد يدلّ على من لعب.

جذر ميركل لكل السجلات: `{root}`

| هنا | ما هو |
|---|---|
| `logs/` | السجلات، مباراة في كل سطر (`match-log/1`)، مضغوطة بـ Zstandard |
| `tables/` | المباريات والتوزيعات والملاحظات بصيغة Parquet |
| `archive.db` | ذلك كله قاعدة بيانات SQLite، وفيها نتائج التدقيق كاملة |
| `metadata.json` | ما يُقال لـ Datasette عن القاعدة |
| `QUALITY.md`, `quality.json` | ما دُقّق، وما الخطأ فيه، وما تُرك ولماذا |
| `changes.json` | كل حقل من السجلات حُذف أو غُيّر |
| `digests.txt` | بصمة كل سجل، بترتيب تصاعدي |
| `datapackage.json` | وصف للبرامج (Data Package) |
| `CITATION.cff` | كيف يُستشهد به |

المجلّد الذي فوق هذا حقيبة BagIt فيها بصمة كل ملف، و`seal.json` هناك يقوم مقام الكل.

للتحقّق، مع المدقّق {version}، في المجلّد الذي فوق هذا:

    auditor verify .            # البصمات والوصف وكل سجل والجذر، والتوقيع إن كان
    auditor verify . --audit    # وكل نتيجة من جديد

وللتصفّح:

    auditor serve data/archive.db

أو بـ Datasette وحده: `datasette -i data/archive.db -c data/metadata.json -m data/metadata.json`.

ولإثبات أن مباراة بعينها في الأرشيف دون إعطائه:

    auditor prove . --match ID -o proof.json
    auditor prove --check proof.json --root {root}

ودون المدقّق، البصمات وحدها: `sha256sum -c manifest-sha256.txt`.

</div>
"""
