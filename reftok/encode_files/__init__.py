"""Text files to token ids on disk, on all cores.

    inputs ──Unit──▶ Encoder, one in each worker ──Encoded──▶ tokens, index, journal ──renamed──▶ the result

One process reads the inputs, cuts them into units of whole documents, and writes the ids in the order of the units; the
workers are processes that encode. The journal counts what is safe on the disk: a run that was killed drops what was
written after it, and goes on.

Read on in this order: encode_files.py (the options), run.py (one run), sources.py, encoder.py, workers.py, output.py.
"""
