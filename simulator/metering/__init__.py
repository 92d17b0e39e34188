"""What the programs of a simulated cluster count, and the metrics pages that they give."""
