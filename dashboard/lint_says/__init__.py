"""The sentences of the lint rules; where a rule has several, the first whose condition holds."""
