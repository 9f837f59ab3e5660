/**
 * @microsoft/tiktokenizer with the rank file, and the pattern and special tokens that the library has for its encoding.
 * Special tokens in a text are text unless allowed: all are.
 */

import { encodingOf, serve } from "../javascript/serve.mjs";
import microsoft from "@microsoft/tiktokenizer";

const ENCODINGS = ["o200k_base", "cl100k_base", "p50k_base", "p50k_edit", "r50k_base", "gpt2"];

await serve({
  library: "@microsoft/tiktokenizer",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  load(model) {
    const encoding = encodingOf(model, ENCODINGS);
    const special = microsoft.getSpecialTokensByEncoder(encoding);
    const tokenizer = microsoft.createTokenizer(model.path, special, microsoft.getRegexByEncoder(encoding));
    return { encode: (text) => tokenizer.encode(text, [...special.keys()]), decode: (ids) => tokenizer.decode(ids) };
  },
});
