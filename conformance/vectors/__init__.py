"""Vectors: inputs with the official library's answers, made for a model, run, checked and compared.

model ──candidates──▶ questions ──answers, reached, killed──▶ choosing ──making──▶ VectorFile
"""
