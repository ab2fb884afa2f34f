"""A realistic book of borrowers and loans, the same on every machine, sent through the API.

`countries` and `names` say who lives where, `people` makes borrowers, `book` makes loans and what
was paid on them, `reports` what was reported and assessed, `filler` posts all of it to a running
sandbox as any client would.
"""
