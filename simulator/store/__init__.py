"""The objects of one simulated cluster, as its API server keeps them."""
