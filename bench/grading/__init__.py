"""How well graders judge memories: labeled memories, and recall with all grades written back."""
