/**
 * llama-tokenizer-js, with the tokenizer of Llama 2 that it brings. Special tokens in a text are text; <s> before a text
 * is the caller's choice, and a .model has none. decode leaves out an <s> at the beginning, and no other special token.
 */

import { serve } from "../javascript/serve.mjs";
import llama from "llama-tokenizer-js";

await serve({
  library: "llama-tokenizer-js",
  from: import.meta.url,
  formats: ["sentencepiece"],
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  load: () => ({ encode: (text) => llama.encode(text, false), decode: (ids) => llama.decode(ids) }),
});
