"""Vectors for Python, without the harness:  gzip -dc core.json.gz | python runner.py tokenizer.json

Put your library into `Tokenizer`. It raises where it refuses. Streams and settings are left out.
"""

import json
import sys


class Tokenizer:
    def __init__(self, path):
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(path)

    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode(text, add_special_tokens=add_special_tokens).ids

    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)


def is_right(tokenizer, group, test):
    if group["type"] == "encode":
        return tokenizer.encode(test["text"], group["addSpecialTokens"]) == test.get("ids")
    if group["type"] == "decode":
        return tokenizer.decode(test["ids"], group["skipSpecialTokens"]) == test.get("text")
    return [tokenizer.encode(text, group["addSpecialTokens"]) for text in test["texts"]] == test["ids"]


tokenizer = Tokenizer(sys.argv[1])
count, errors = {"passed": 0, "failed": 0, "acceptable": 0, "skipped": 0}, []
for group in json.load(sys.stdin)["testGroups"]:
    for test in group["tests"]:
        if group["type"] not in ("encode", "decode", "batch") or (group["type"] == "encode" and "text" not in test):
            count["skipped"] += 1
            continue
        try:
            right = is_right(tokenizer, group, test) and test["result"] != "refused"
        except Exception as error:
            right = test["result"] == "refused"
            if not right:
                errors.append(repr(error))
        what = "passed" if right else "acceptable" if test["result"] == "acceptable" else "failed"
        count[what] += 1
        if what == "failed":
            print(f"FAIL {test['tcId']} {group['type']} {'; '.join(test['flags'])}")
print(", ".join(f"{number} {what}" for what, number in count.items()))
if count["failed"] and errors:
    print("the first error that it raised:", errors[0])
sys.exit(1 if count["failed"] or not count["passed"] else 0)
