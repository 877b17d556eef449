"""The memory of one agent and user for any MCP host: tools, resources and a prompt, over stdio or streamable HTTP."""
