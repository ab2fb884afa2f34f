"""The service's rules, as pure functions over Decimals with the time as an argument."""
