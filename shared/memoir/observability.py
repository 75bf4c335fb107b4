"""Logging: static messages with keyword fields; ids and numbers, never texts of memories, messages or queries."""

from aws_lambda_powertools import Logger

logger = Logger(service="memoir", log_uncaught_exceptions=False)
"""The one logger of the functions."""
