"""The rules of llama.cpp for the vocabulary of a GGUF file, stage by stage, its models among them.

llama.cpp takes and gives bytes. `Pipeline.encode` takes both; offsets, which llama.cpp does not have, are what the
alignment of the stages gives, in code points of a str and in bytes of bytes. It raises InvalidText for lone surrogates,
for what is no text, and where llama.cpp would end the process: for a byte without a token (SPM) and for the bytes of a
code point above 10FFFF (BPE).

`add_special_tokens` is `add_special` of `llama_tokenize`: BOS and EOS, as far as the file asks for them. Its
`parse_special` (is `<s>` in the text the control token?) is on, which is what a prompt made with a chat template
needs, and what the official libraries of the same models do. llama_tokenize has no default, but `Llama.tokenize` of
llama-cpp-python has `special=False`: for text that is not trusted, that is the safe one. Here it is
`tokenizer.with_options(encode_special_tokens=True)`. User-defined tokens are matched either way.
"""
