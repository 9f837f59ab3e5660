/**
 * @mlc-ai/web-tokenizers: the official libraries of tokenizer.json and of sentencepiece as WASM. It adds no special
 * tokens, and leaves out none. It is made for browsers: it wants a location, and leaves itself in globalThis.tokenizers.
 */

import { readFileSync } from "node:fs";
import { exactly, serve } from "../javascript/serve.mjs";

globalThis.location = new URL(import.meta.url);
await import("@mlc-ai/web-tokenizers");
const { Tokenizer } = globalThis.tokenizers;

const READERS = { "tokenizer.json": Tokenizer.fromJSON, sentencepiece: Tokenizer.fromSentencePiece };

await serve({
  library: "@mlc-ai/web-tokenizers",
  from: import.meta.url,
  formats: Object.keys(READERS),
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  async load({ path, format }) {
    const tokenizer = await READERS[format](readFileSync(path));
    return { encode: (text) => tokenizer.encode(text), decode: (ids) => tokenizer.decode(exactly(Int32Array, ids)) };
  },
});
