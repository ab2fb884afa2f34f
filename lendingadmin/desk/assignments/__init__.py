"""Which officer has which borrower. The service knows of none."""
