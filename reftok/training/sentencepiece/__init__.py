"""The trainers of sentencepiece 0.2.3: the same corpus and the same options give the same `.model`, byte for byte.

Read `trainer.py` first, then `corpus.py`, which all four model types share, and then the type that is of interest:
`word.py`, `char.py`, `bpe.py`, `unigram.py`. The numbers of the Unigram trainer are those of x86-64: an official wheel
for another machine may differ from the one for this in last bits.
"""
