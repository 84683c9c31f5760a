"""The site: an audit database as a folder of pages that need no server.

In: an audit database, or match logs. Out: a folder of HTML files, which any web host hands out and a browser opens.
Refuses to know rules, what a page says of a match, and Click: the pages are those of ``auditor.web``.
"""
