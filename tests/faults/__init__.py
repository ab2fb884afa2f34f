"""Servers that misbehave on request, over real sockets: for tests of client, pages and browser."""
