"""The planted defects are read by the harness, not by pytest: some cannot even be imported."""

collect_ignore_glob = ["*.py"]
