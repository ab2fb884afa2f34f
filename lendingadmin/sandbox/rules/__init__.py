"""The service's rules: pure functions over Decimals that take the time as an argument."""
