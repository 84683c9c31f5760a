"""Pages that stand alone: one HTML file, in English and Arabic, that opens without a network and prints well.

In: frozen values: logs, verdicts, positions. Out: the text of a page. Refuses to know where it goes, and rules. What a
log brings is text: it never becomes markup, and marks that turn the writing direction are made visible.
"""

from auditor.pages.evidence import Exhibit, case_page, moment_page

__all__ = ["Exhibit", "case_page", "moment_page"]
