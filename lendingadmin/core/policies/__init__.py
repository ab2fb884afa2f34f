"""The rules of a lender that managers change on pages: kinds, versions and their reader."""
