"""Cluster: the same audit on many machines.

In: URLs of logs, the address of a Dask scheduler, the URL of a folder for results. Out: one Parquet file a shard and a
manifest of them; and out of these the rows of a database. Refuses to know rules, the command line and SQL.

A shard is there whole or not at all, and its name says all that its bytes depend on. So whatever is killed, and however
often something is tried, in the end each match is there once.
"""
