"""The ledger: all that is known of one cluster, in memory, folded from changes; says once a batch
what became different."""
