/** bpe-lite, with the encodings that it brings. Special tokens in a text are always matched. */

import { encodingOf, serve } from "../javascript/serve.mjs";
import { openai, openaiO200k } from "bpe-lite";

const ENCODINGS = { cl100k_base: openai, o200k_base: openaiO200k };

await serve({
  library: "bpe-lite",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  load(model) {
    const tokenizer = ENCODINGS[encodingOf(model, Object.keys(ENCODINGS))]();
    return { encode: (text) => tokenizer.encode(text), decode: (ids) => tokenizer.decode(ids) };
  },
});
