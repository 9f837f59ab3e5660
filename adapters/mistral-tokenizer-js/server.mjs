/**
 * mistral-tokenizer-js, with the tokenizer of Mistral 7B v0.1 that it brings. Special tokens in a text are text; <s>
 * before a text is the caller's choice, and a .model has none. decode takes away an <s> and a space at the beginning
 * whether they are there or not: it is told whether they are.
 */

import { serve } from "../javascript/serve.mjs";
import mistral from "mistral-tokenizer-js";

const BOS = 1;

function decode(ids) {
  const isBegun = ids[0] === BOS;
  const isSpaced = mistral.vocabById[ids[isBegun ? 1 : 0]]?.startsWith("\u2581") ?? false;
  return mistral.decode(ids, isBegun, isSpaced);
}

await serve({
  library: "mistral-tokenizer-js",
  from: import.meta.url,
  formats: ["sentencepiece"],
  capabilities: { encode: { add_special_tokens: "never" }, decode: { skip_special_tokens: "never" } },
  load: () => ({ encode: (text) => mistral.encode(text, false), decode }),
});
