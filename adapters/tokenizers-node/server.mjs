/** tokenizers: the official library's own binding for Node. */

import { serve } from "../javascript/serve.mjs";
import { Tokenizer } from "tokenizers";

const parts = (encoding) => ({
  ids: encoding.getIds(),
  tokens: encoding.getTokens(),
  offsets: encoding.getOffsets(),
  special_tokens_mask: encoding.getSpecialTokensMask(),
});

await serve({
  library: "tokenizers",
  from: import.meta.url,
  formats: ["tokenizer.json"],
  capabilities: {
    encode: { fields: ["tokens", "offsets", "special_tokens_mask"], offsets_unit: "scalar" },
    decode: {},
    encode_batch: true,
  },
  load({ path }) {
    const tokenizer = Tokenizer.fromFile(path);
    return {
      encode: async (text, addSpecialTokens) => parts(await tokenizer.encode(text, null, { addSpecialTokens })),
      encodeBatch: async (texts, addSpecialTokens) =>
        (await tokenizer.encodeBatch(texts, { addSpecialTokens })).map(parts),
      decode: (ids, skipSpecialTokens) => tokenizer.decode(ids, skipSpecialTokens),
    };
  },
});
