/**
 * ai-tokenizer, with the encodings that it brings. Special tokens in a text are refused unless allowed: all are, by name,
 * since "all" takes them as text.
 */

import { encodingOf, serve } from "../javascript/serve.mjs";
import { Tokenizer } from "ai-tokenizer";

const ENCODINGS = ["cl100k_base", "o200k_base", "p50k_base"];

await serve({
  library: "ai-tokenizer",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  async load(model) {
    const encoding = await import(`ai-tokenizer/encoding/${encodingOf(model, ENCODINGS)}`);
    const tokenizer = new Tokenizer(encoding);
    const special = Object.keys(encoding.special_tokens);
    return { encode: (text) => tokenizer.encode(text, special), decode: (ids) => tokenizer.decode(ids) };
  },
});
