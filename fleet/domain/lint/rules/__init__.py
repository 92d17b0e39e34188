"""The rules, by what they look at. Each says nothing where it does not know enough."""
