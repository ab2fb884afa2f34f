"""Collection sheets: lists on paper for who collects cash, and the grid they come back into."""
