"""Terse chats between people and their agents, and what capture finds in them."""
