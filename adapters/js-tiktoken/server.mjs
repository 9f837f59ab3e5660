/** js-tiktoken, with the encodings that it brings. Special tokens in a text are refused unless allowed: all are. */

import { encodingOf, serve } from "../javascript/serve.mjs";
import { Tiktoken } from "js-tiktoken/lite";

const ENCODINGS = ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base"];

await serve({
  library: "js-tiktoken",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  async load(model) {
    const { default: ranks } = await import(`js-tiktoken/ranks/${encodingOf(model, ENCODINGS)}`);
    const tokenizer = new Tiktoken(ranks);
    return { encode: (text) => tokenizer.encode(text, "all"), decode: (ids) => tokenizer.decode(ids) };
  },
});
