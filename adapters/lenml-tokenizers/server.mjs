/** @lenml/tokenizers. decode cleans spaces up unless told not to, which the official library never does. */

import { beside, json, serve } from "../javascript/serve.mjs";
import { TokenizerLoader } from "@lenml/tokenizers";

await serve({
  library: "@lenml/tokenizers",
  from: import.meta.url,
  formats: ["tokenizer.json"],
  capabilities: { encode: { fields: ["tokens"] }, decode: {} },
  load({ path }) {
    const tokenizer = TokenizerLoader.fromPreTrained({
      tokenizerJSON: json(path),
      tokenizerConfig: beside(path, "tokenizer_config.json"),
    });
    return {
      encode: (text, add_special_tokens, want) => ({
        ids: tokenizer.encode(text, { add_special_tokens }),
        tokens: want.includes("tokens") ? tokenizer.tokenize(text, { add_special_tokens }) : undefined,
      }),
      decode: (ids, skip_special_tokens) =>
        tokenizer.decode(ids, { skip_special_tokens, clean_up_tokenization_spaces: false }),
    };
  },
});
