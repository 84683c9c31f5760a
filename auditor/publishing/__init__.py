"""Publishing: archives that strangers can check and browse.

In: logs, or an audit database. Out: a folder with the logs under other names, their verdicts, what was changed and
left out, and the sums of all of it; and what is wrong with such a folder. Refuses to know HTML pages and Click.
"""
