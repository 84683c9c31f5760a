"""The desks: what people do with verdicts once they have them, one room for each noun.

In: logs, verdicts, the store. Out: comparisons, opinions, case files. Refuses to know HTML pages and Click.
"""
