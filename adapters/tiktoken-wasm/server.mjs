/**
 * tiktoken, the official library's Rust as WASM, with the encodings that it brings. Special tokens in a text are refused
 * unless allowed: all are. It decodes to bytes.
 */

import { encodingOf, exactly, serve } from "../javascript/serve.mjs";
import { get_encoding } from "tiktoken";

const ENCODINGS = ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base"];

await serve({
  library: "tiktoken",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  load(model) {
    const tokenizer = get_encoding(encodingOf(model, ENCODINGS));
    return { encode: (text) => tokenizer.encode(text, "all"), decode: (ids) => tokenizer.decode(exactly(Uint32Array, ids)) };
  },
});
