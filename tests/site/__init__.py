"""The site: pages without a server, what they lead to, and what a browser shows of them."""
