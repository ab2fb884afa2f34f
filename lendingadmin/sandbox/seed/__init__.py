"""A realistic portfolio of borrowers and loans, the same on every machine.

`countries` describes people and places. `people` makes borrowers. `book` makes loans and their
repayments. `reports` makes events and assessments. `filler` saves all this in the sandbox's
database, checked and built as the API does it. `bulk` does so for many thousand loans.
"""
