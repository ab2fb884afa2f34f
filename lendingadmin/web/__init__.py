"""What every area's views share: who may reach them, error cards, form tokens, lists, health."""
