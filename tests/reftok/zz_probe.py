import json
from hypothesis import given, settings, find
from hypothesis import strategies as st
from .official import *
from .tokenizers_strategies import *
def test_x():
    seen=[]
    @settings(max_examples=1500, database=None)
    @given(pipelines(), texts)
    def f(c,t):
        try: th=official(c)
        except BaseException as e:
            seen.append(("LOAD",str(e)[:80])); return
        try: th.encode(t)
        except BaseException as e:
            if type(e).__name__=="PanicException": seen.append((str(e)[:60],c["normalizer"],c["pre_tokenizer"],t,[a for a in c["added_tokens"]][:0]))
    f()
    seen.sort(key=lambda x:len(str(x)))
    for s in seen[:25]: print(s)
    print(len(seen))
