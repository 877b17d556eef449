"""Engines that hold the vectors of large tenants. Truth never lives here."""
