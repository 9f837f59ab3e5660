"""How the embedded models are trained; `tools/train_models.py` is the door."""
