"""A memory that a server keeps, with the methods, answers and errors of one in this process."""

from cortex.client.remote import RemoteCortex

__all__ = ["RemoteCortex"]
