/** gpt3-tokenizer, with the encodings of GPT-3 and Codex that it brings. Special tokens in a text are text. */

import { encodingOf, serve } from "../javascript/serve.mjs";
import gpt3 from "gpt3-tokenizer";

const TYPES = { r50k_base: "gpt3", gpt2: "gpt3", p50k_base: "codex" };

await serve({
  library: "gpt3-tokenizer",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: {
    encode: { add_special_tokens: "never", special_in_text: "text" },
    decode: { skip_special_tokens: "never" },
  },
  load(model) {
    const tokenizer = new gpt3.default({ type: TYPES[encodingOf(model, Object.keys(TYPES))] });
    return { encode: (text) => tokenizer.encode(text).bpe, decode: (ids) => tokenizer.decode(ids) };
  },
});
