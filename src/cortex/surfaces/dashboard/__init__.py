"""The dashboard: one page with its own scripts, which asks the HTTP routes for everything it shows."""
