"""The Unicode tables of each official library, whatever version is installed here."""
