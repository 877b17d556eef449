"""What goes over the wire: one request and one response for each verb, for HTTP, MCP, the client and `--json` alike."""
