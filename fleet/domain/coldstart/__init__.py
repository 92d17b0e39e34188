"""Cold starts: facts of one replica -> phases that add up, with trigger, start mode and outcome."""
