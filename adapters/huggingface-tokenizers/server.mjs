/** @huggingface/tokenizers. decode cleans spaces up unless told not to, which the official library never does. */

import { beside, json, serve } from "../javascript/serve.mjs";
import { Tokenizer } from "@huggingface/tokenizers";

await serve({
  library: "@huggingface/tokenizers",
  from: import.meta.url,
  formats: ["tokenizer.json"],
  capabilities: { encode: { fields: ["tokens"] }, decode: {} },
  load({ path }) {
    const tokenizer = new Tokenizer(json(path), beside(path, "tokenizer_config.json"));
    return {
      encode: (text, add_special_tokens) => tokenizer.encode(text, { add_special_tokens }),
      decode: (ids, skip_special_tokens) =>
        tokenizer.decode(ids, { skip_special_tokens, clean_up_tokenization_spaces: false }),
    };
  },
});
