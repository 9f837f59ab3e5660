/**
 * llama3-tokenizer-js, with the tokenizer of Llama 3 that it brings: the special tokens are those of Llama 3.1, and are
 * matched in a text. The first and the last of a text are the caller's choice, and a rank file has none.
 */

import { encodingOf, serve } from "../javascript/serve.mjs";
import llama3 from "llama3-tokenizer-js";

await serve({
  library: "llama3-tokenizer-js",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  load(model) {
    encodingOf(model, ["llama3.1"]);
    return {
      encode: (text) => llama3.encode(text, { bos: false, eos: false }),
      decode: (ids) => llama3.decode(ids),
    };
  },
});
