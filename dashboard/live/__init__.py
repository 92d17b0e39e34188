"""Pages that change by themselves: one hub a process, groups of viewers, fragments."""
