"""Rules of the service, as pure functions. Numbers are Decimals, and the time is an argument."""
