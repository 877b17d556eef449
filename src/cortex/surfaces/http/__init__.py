"""The memory over HTTP: `create_app` makes the application, `running` serves it."""
