"""Finding a record by any id that a person may have, and what a person opened last."""
