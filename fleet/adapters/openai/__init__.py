"""Real OpenAI requests to models, through their own route."""
