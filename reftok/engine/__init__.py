"""The answers of the rules, fast and incremental. The fast paths and the streams are mostly the same stages.

`encode_ids` and the streams: the stages of `encode/`, to which a whole text is one chunk. `encode`, with offsets: the
first path of `offsets/` that fits, else `fast_pipeline`.

encode/: the streamed form of every stage from text to ids, which `encode_ids` uses too.
patterns/: the matches of a pattern in text that comes bit by bit, and the faster matching of ASCII text.
bpe/, unigram/: the fast forms of the models, for whole texts and for those whose end is not there yet.
offsets/: tokens with offsets, worked out from the ids.
decode/: the streamed form of every decoder, which `decode` uses too.
fast_normalizers, fast_model, fast_pipeline: a pipeline with faster normalizers and models, for whole texts.
"""
