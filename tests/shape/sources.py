"""The sources of the package, parsed once and walked once."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache

from bench.house import House


@cache
def house() -> House:
    return House()


def modules() -> Mapping[str, ast.Module]:
    """Every module of the package by its dotted name."""
    return house().modules


@cache
def nodes() -> Mapping[str, tuple[ast.AST, ...]]:
    """Everything in every module."""
    return {name: tuple(ast.walk(tree)) for name, tree in modules().items()}
