"""Access tokens: the tenant and the rights of a caller."""

from cortex.access.tokens import AccessToken, Right, Tokens

__all__ = ["AccessToken", "Right", "Tokens"]
