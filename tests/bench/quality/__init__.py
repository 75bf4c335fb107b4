"""Search quality of the ranking that the functions use, beside other methods on the same vectors."""
