"""What is sent, what is answered, and the contract that is both: pydantic models of the wire."""
