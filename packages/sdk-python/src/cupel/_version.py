"""The version of this package."""

version = "0.2.0.dev0"
