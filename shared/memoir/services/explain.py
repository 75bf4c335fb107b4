"""``explain``: why records were found, in numbers, for runtimes and operators (SPEC §5)."""
