"""How long a search and a commit take, by stage, as an agent's memory grows."""
