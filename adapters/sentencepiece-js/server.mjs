/** sentencepiece-js: sentencepiece as WASM. A model that it cannot read is not told by the library. */

import { exactly, serve } from "../javascript/serve.mjs";
import { SentencePieceProcessor } from "sentencepiece-js";

await serve({
  library: "sentencepiece-js",
  from: import.meta.url,
  formats: ["sentencepiece"],
  capabilities: {
    encode: { fields: ["tokens"], add_special_tokens: "never" },
    decode: { skip_special_tokens: "always" },
  },
  async load({ path }) {
    const processor = new SentencePieceProcessor();
    await processor.load(path);
    return {
      encode: (text, _, want) => ({
        ids: processor.encodeIds(text),
        tokens: want.includes("tokens") ? processor.encodePieces(text) : undefined,
      }),
      decode: (ids) => processor.decodeIds(exactly(Int32Array, ids)),
    };
  },
});
