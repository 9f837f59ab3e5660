// Vectors for JavaScript:  gzip -dc core.json.gz | node runner.mjs tokenizer.json
// Put your library into `load`. It throws where it refuses. Streams and settings are left out.
import { readFileSync } from "node:fs";

async function load(path) {
  const { Tokenizer } = await import("@huggingface/tokenizers");
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(path, "utf8")), {});
  return {
    encode: (text, special) => tokenizer.encode(text, { add_special_tokens: special }).ids,
    decode: (ids, skip) => tokenizer.decode(ids, { skip_special_tokens: skip, clean_up_tokenization_spaces: false }),
  };
}

const vectors = JSON.parse(readFileSync(0, "utf8"));
const tokenizer = await load(process.argv[2]);
let first;
const count = { passed: 0, failed: 0, acceptable: 0, skipped: 0 };
const same = (some, others) => JSON.stringify(some) === JSON.stringify(others);
for (const group of vectors.testGroups)
  for (const test of group.tests) {
    const ask = {
      encode: () => same([...tokenizer.encode(test.text, group.addSpecialTokens)], test.ids),
      decode: () => tokenizer.decode(test.ids, group.skipSpecialTokens) === test.text,
      batch: () => test.texts.every((text, n) => same([...tokenizer.encode(text, group.addSpecialTokens)], test.ids[n])),
    }[group.type];
    if (!ask || (group.type === "encode" && test.text === undefined)) { count.skipped++; continue; }
    let right;
    try { right = ask() && test.result !== "refused"; } catch (error) { if (!(right = test.result === "refused")) first ??= error; }
    if (right) count.passed++;
    else if (test.result === "acceptable") count.acceptable++;
    else { count.failed++; console.log(`FAIL ${test.tcId} ${group.type} ${test.flags.join("; ")}`); }
  }
console.log(Object.entries(count).map(([what, number]) => `${number} ${what}`).join(", "));
if (count.failed && first) console.log(`the first error that it threw: ${first}`);
process.exit(count.failed || !count.passed ? 1 : 0);
