"""Access: who may come in from outside, as which tenant, and what they may do there."""

from cortex.access.tokens import FILE_NAME, Right, Token, Tokens

__all__ = ["FILE_NAME", "Right", "Token", "Tokens"]
