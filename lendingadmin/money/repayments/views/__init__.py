"""The pages of the repayments area."""
