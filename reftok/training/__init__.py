"""Trainers: texts to vocabularies, one trainer a file, as identical to the official ones as these are to themselves.

    texts ──stages before the model──▶ distinct words with their counts ──trainer──▶ vocab ──written──▶ tokenizer.json

    bpe.py, wordpiece.py, wordlevel.py, unigram.py    those of tokenizers, named as there
    minbpe.py                                         that of karpathy/minbpe and of tiktoken's educational module
    merging.py                                        the loop of merges of all BPE trainers
    sentencepiece/                                    those of sentencepiece: the `.model`, byte for byte
    texts.py, pipelines.py, training.py               what stands around them; train.py is the door
    checkpoint.py                                     carries a training of either family out, and resumes it
    monitor.py, explaining.py                         how far a training is, and why it did what it did

A trainer is a dataclass of its options; its docstring says the rule, the source and the quirks, and where the official
result is not a function of the input, what decides here instead.
"""
