"""The scoreboard: many libraries on some models, as pages, as JSON and as badges."""
