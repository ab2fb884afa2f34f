"""The client of the Lending Service, all of its 19 operations. It knows no web framework.

    tokens = TokenSource(auth_url, client_id, client_secret)
    client = LendingClient(base_url, project_id, tokens)
    loan = client.app("kenya").loans.get("L-1")

The three stand in `tokens` and `client`; what is read is in `values`, what goes wrong in `errors`,
the facts of each operation in `operations`.
"""
