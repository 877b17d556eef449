"""Access tokens: the tenant and the rights of a caller."""

from cortex.access.tokens import FILE_NAME, AccessToken, Right, TokenFile

__all__ = ["FILE_NAME", "AccessToken", "Right", "TokenFile"]
