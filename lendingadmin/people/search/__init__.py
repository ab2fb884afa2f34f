"""Search for records by any id at hand, and the records that a person opened last."""
