"""A realistic book of borrowers and loans, the same on every machine, sent through the API.

`countries` and `names` describe people and places. `people` makes borrowers. `book` makes loans and
their repayments. `reports` makes events and assessments. `filler` posts all of these to a running
sandbox, as any client would.
"""
