/**
 * The loop of an adapter in JavaScript: the subject protocol, version 1 (docs/protocol.md), on standard input and output.
 * An adapter says what its library can do, loads a model, encodes and decodes; all else is here.
 */

import { Console } from "node:console";
import { accessSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

// Standard output is for answers: what a library logs goes to standard error. Imported before the library, which may
// take hold of console.log when it is loaded.
globalThis.console = new Console(process.stderr);

const PROTOCOL = 1;

/** A model that the library does not read. feature: what the model has that the library does not know. */
export class Unavailable extends Error {
  constructor(message, { reason = "unsupported model", feature = "" } = {}) {
    super(message);
    Object.assign(this, { reason, feature });
  }
}

/** A message that the adapter cannot make sense of. */
class BadMessage extends Error {}

/**
 * Answer messages until `stop`, or the end of standard input.
 *
 * library: the package under node_modules beside `from`, the adapter's import.meta.url; its package.json tells name,
 * version and home. formats: those of a model that it reads. capabilities: as in the protocol.
 * load(model, options): a subject, which has of these what the capabilities name:
 *   encode(text, addSpecialTokens, want): ids, or { ids, tokens, offsets, special_tokens_mask } as far as wanted
 *   encodeBatch(texts, addSpecialTokens, want): a list of the same
 *   decode(ids, skipSpecialTokens): a string, or a Uint8Array of bytes
 *   streamDecode(ids, skipSpecialTokens): the texts after each id, and at the end
 * Each may be async, and may raise: that is an answer. `load` raises Unavailable, or what the library raises.
 */
export async function serve({ library, from, formats, capabilities, load }) {
  const about = aboutPackage(new URL(`node_modules/${library}/package.json`, from));
  let given, subject;

  async function loaded(message) {
    const { model, options } = message;
    subject = undefined;
    if (typeof model?.path !== "string") throw new BadMessage("no field 'model.path'");
    accessSync(model.path); // a file that is not there says nothing about the library
    try {
      if (!formats.includes(model.format)) {
        throw new Unavailable(`${library} does not read ${model.format}`, { reason: "unsupported format" });
      }
      subject = await load(model, options ?? {});
    } catch (error) {
      return { unavailable: refusal(error) };
    }
    given = message;
    return { started: { protocol: PROTOCOL, subject: about, capabilities: { in_flight: 8, ...capabilities } } };
  }

  /** The answer to an item. What broke down is loaded anew, so that the next answer is not its too. */
  async function attempt(ask) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof BadMessage) throw error;
      const failure = { message: sentence(error), type: error?.name ?? typeof error };
      if (!(error instanceof WebAssembly.RuntimeError)) return { refused: failure };
      await reload();
      return { crashed: failure };
    }
  }

  async function reload() {
    try {
      subject = await load(given.model, given.options ?? {});
    } catch (error) {
      console.error(error);
      process.exit(1); // it does not come to itself again: the harness starts another process
    }
  }

  function itemsOf({ items }) {
    if (!Array.isArray(items)) throw new BadMessage("no field 'items'");
    if (subject === undefined) throw new BadMessage("no model is loaded");
    return items;
  }

  async function each(message, ask) {
    const results = [];
    for (const item of itemsOf(message)) results.push(await attempt(() => ask(item)));
    return { results };
  }

  const answers = {
    start(message) {
      if (message.protocol !== PROTOCOL) throw new BadMessage(`protocol ${message.protocol} is not known`);
      return loaded(message);
    },
    load: loaded,
    encode: (message) =>
      each(message, async (item) =>
        encoded(await subject.encode(textOf(item), message.add_special_tokens, message.want ?? []), message.want),
      ),
    async encode_batch(message) {
      const texts = itemsOf(message).map(textOf);
      const found = await attempt(() => subject.encodeBatch(texts, message.add_special_tokens, message.want ?? []));
      if (found.crashed) return { results: texts.map(() => found) };
      return Array.isArray(found) ? { results: found.map((one) => encoded(one, message.want)) } : found;
    },
    decode: (message) =>
      each(message, async (item) => decoded(await subject.decode(idsOf(item.ids), message.skip_special_tokens))),
    stream: (message) =>
      each(message, async (item) => {
        if (item.to !== "decoder") throw new BadMessage(`no stream to an ${item.to}`);
        const texts = await subject.streamDecode(idsOf(item.chunks), item.skip_special_tokens ?? true);
        return texts.map(decoded).find((one) => one.invalid) ?? { given: texts };
      }),
  };

  for await (const line of lines(process.stdin)) {
    const message = JSON.parse(line);
    if (message.op === "stop") break;
    let said;
    try {
      if (!Object.hasOwn(answers, message.op)) throw new BadMessage(`no operation ${JSON.stringify(message.op)}`);
      said = await answers[message.op](message);
    } catch (error) {
      if (!(error instanceof BadMessage)) console.error(error);
      said = { error: { message: sentence(error) } };
    }
    process.stdout.write(`${JSON.stringify({ id: message.id, ...said })}\n`);
  }
  process.stdout.write("", () => process.exit(0)); // a library may have left something running
}

/** The encoding's name, of a model that the library brings along by that name; raises Unavailable for another. */
export function encodingOf(model, names) {
  if (names.includes(model.encoding)) return model.encoding;
  const which = model.encoding ? `the encoding ${model.encoding}` : "an encoding without a name";
  throw new Unavailable(`it brings ${names.join(", ")}, not ${which}`, { feature: which });
}

/** The ids as an array of a type, for a library that takes no other; raises RangeError for one that it cannot hold. */
export function exactly(ArrayType, ids) {
  const typed = ArrayType.from(ids);
  const other = ids.find((id, index) => typed[index] !== id);
  if (other !== undefined) throw new RangeError(`the id ${other} does not fit into an ${ArrayType.name}`);
  return typed;
}

/** The JSON value of a file. */
export const json = (path) => JSON.parse(readFileSync(path, "utf-8"));

/** The JSON value of the file of that name in a model's folder; {} where there is none. */
export function beside(path, name) {
  const file = join(dirname(path), name);
  return existsSync(file) ? json(file) : {};
}

/** The lines, which end at \n only: node:readline ends one at U+2028 as well. */
async function* lines(stream) {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf-8")) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts;
  }
}

function aboutPackage(url) {
  const { name, version, homepage, repository, bugs } = json(url);
  const source = typeof repository === "string" ? repository : repository?.url;
  return {
    name,
    version,
    language: "javascript",
    runtime: `node ${process.versions.node}`,
    homepage: homepage ?? source?.replace(/^git\+/, "").replace(/\.git$/, "") ?? `https://www.npmjs.com/package/${name}`,
    issues: typeof bugs === "string" ? bugs : bugs?.url ?? "",
  };
}

/** What a library says when it does not read a model; transformers.js and its kin name the component. */
function refusal(error) {
  const message = sentence(error);
  const [, kind, type] = /Unknown (\w+) type: (\S+)/.exec(message) ?? [];
  return { message, reason: error?.reason ?? "unsupported model", feature: error?.feature ?? (kind ? `${kind} ${type}` : "") };
}

const sentence = (error) => `${error?.message ?? error}`.slice(0, 1000).toWellFormed();

function textOf(item) {
  if (typeof item.text !== "string") throw new BadMessage("an item without 'text'");
  return item.text;
}

function idsOf(ids) {
  if (!Array.isArray(ids)) throw new BadMessage("an item without ids");
  return ids;
}

/** The result of encoding, of which no more is told than was wanted. */
function encoded(found, want = []) {
  const parts = Array.isArray(found) || ArrayBuffer.isView(found) ? { ids: found } : { ...found };
  if (parts.ids?.[Symbol.iterator] === undefined) return { invalid: { message: `the ids ${parts.ids}` } };
  const ids = Array.from(parts.ids);
  const other = ids.findIndex((id) => !Number.isSafeInteger(id));
  if (other >= 0) return { invalid: { message: `the id ${ids[other]} in place ${other}` } };
  const result = { ...Object.fromEntries(want.map((field) => [field, parts[field]])), ids };
  const token = result.tokens?.findIndex((one) => typeof one !== "string" || !one.isWellFormed()) ?? -1;
  return token < 0 ? result : { invalid: { message: `the token ${JSON.stringify(result.tokens[token])}` } };
}

function decoded(found) {
  if (found instanceof Uint8Array) return { base64: Buffer.from(found).toString("base64") };
  if (typeof found === "string" && found.isWellFormed()) return { text: found };
  return { invalid: { message: `the text ${JSON.stringify(found)?.slice(0, 1000)}` } };
}
