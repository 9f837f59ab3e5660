/** gpt-3-encoder, with the tokenizer of GPT-2 that it brings. Special tokens in a text are text. */

import { encodingOf, serve } from "../javascript/serve.mjs";
import { decode, encode } from "gpt-3-encoder";

await serve({
  library: "gpt-3-encoder",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: {
    encode: { add_special_tokens: "never", special_in_text: "text" },
    decode: { skip_special_tokens: "never" },
  },
  load(model) {
    encodingOf(model, ["r50k_base", "gpt2"]);
    return { encode, decode };
  },
});
