"""What a vLLM server says in its log while it starts: sub-phases, facts, and why it failed."""
