"""Client of the Lending Service, with all operations. It does not use Django.

    tokens = TokenSource(auth_url, client_id, client_secret)
    client = LendingClient(base_url, project_id, tokens)
    loan = client.app("kenya").loans.get("L-1")

These classes are in `tokens` and `client`. `values` has the values of answers, `errors` the errors,
and `operations` the facts of each operation.
"""
