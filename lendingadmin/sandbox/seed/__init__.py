"""Sample data: a realistic portfolio of borrowers and loans, the same on every machine.

`countries` has names and places. `people` makes borrowers. `book` makes loans and their repayments.
`reports` makes events and assessments. `filler` saves these records in the sandbox's database; it
checks and builds them as the API does. `bulk` does this for thousands of loans.
"""
