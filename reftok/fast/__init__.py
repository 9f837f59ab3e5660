"""The answers of the rules for whole texts, fast: each word is worked out once and then looked up.

Read encoder.py first: how a text becomes words, and the words ids. A word is what no stage looks beyond: a pre-token,
or what stands between two safe split points (split_points.py). models.py works out the ids of a new word: by merges.py
if the model merges, by viterbi.py if it looks for the best path. sentencepiece_unigram.py is for the Unigram of a
`.model`, whose float32 sums run over the whole text. known_models.py says which class serves which model.
"""
