"""The client of the Lending Service, with all of its operations. It does not use Django.

    tokens = TokenSource(auth_url, client_id, client_secret)
    client = LendingClient(base_url, project_id, tokens)
    loan = client.app("kenya").loans.get("L-1")

These classes are in `tokens` and `client`. The values of answers are in `values`,
errors in `errors`, and the facts of each operation in `operations`.
"""
