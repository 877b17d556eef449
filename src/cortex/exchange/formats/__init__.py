"""Import formats, one module each. A module here declares its `FORMAT`, and nothing else has to name it."""
