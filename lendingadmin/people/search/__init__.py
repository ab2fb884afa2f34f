"""Search for records by any id, and the records that a person opened last."""
