/** tiktoken-node, Rust's tiktoken-rs for Node, with the encodings that it brings. */

import { encodingOf, serve } from "../javascript/serve.mjs";
import tiktoken from "tiktoken-node";

const ENCODINGS = ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base"];

await serve({
  library: "tiktoken-node",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: {
    encode: { add_special_tokens: "never" },
    decode: { skip_special_tokens: "never" },
    encode_batch: true,
  },
  load(model) {
    const tokenizer = tiktoken.getEncoding(encodingOf(model, ENCODINGS));
    return {
      encode: (text) => tokenizer.encode(text),
      encodeBatch: (texts) => tokenizer.encodeBatch(texts),
      decode: (ids) => tokenizer.decode(ids),
    };
  },
});
