"""Rules of a lender that managers change on pages: kinds, versions, and functions to read them."""
