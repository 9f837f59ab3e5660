/**
 * gpt-tokenizer, with the encodings that it brings. Special tokens in a text are refused unless allowed: all are, and are
 * matched at the beginning of a text or of what follows another; that they are taken as text elsewhere is the library's.
 */

import { encodingOf, serve } from "../javascript/serve.mjs";

const ENCODINGS = ["r50k_base", "gpt2", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"];

/** What comes out of a generator after each id that it draws, and when there are no more. */
function afterEach(ids, generate) {
  const given = [...ids.map(() => ""), ""];
  let drawn = 0;
  const source = function* () {
    for (const id of ids) {
      yield id;
      drawn++;
    }
  };
  for (const text of generate(source())) given[drawn] += text;
  return given;
}

await serve({
  library: "gpt-tokenizer",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: {
    encode: { add_special_tokens: "never" },
    decode: { skip_special_tokens: "never" },
    stream_decode: [],
  },
  async load(model) {
    const { encode, decode, decodeGenerator } = await import(`gpt-tokenizer/encoding/${encodingOf(model, ENCODINGS)}`);
    return {
      encode: (text) => encode(text, { allowedSpecial: "all" }),
      decode: (ids) => decode(ids),
      streamDecode: (ids) => afterEach(ids, decodeGenerator),
    };
  },
});
