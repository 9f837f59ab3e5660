// A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
//
// Three functions are to be filled in: load, encode and decode. They may be async, and may throw what the library
// throws. As they stand, they are a tokenizer of bytes. What is logged goes to standard error.

// What is used of Node, so that no types need be installed.
declare const process: {
  exit(code: number): never;
  stdin: AsyncIterable<string> & { setEncoding(encoding: string): void };
  stdout: { write(text: string): boolean };
  versions: { node: string };
};

type Model = { path: string; format: string; sha256: string; encoding?: string; own?: boolean };
type Tokenizer = TextEncoder; // here: the library's
type Ids = ArrayLike<number | bigint>;
type Decoded = string | Uint8Array;

console.log = console.info = console.debug = console.error; // standard output is for answers

const about = {
  name: "bytes", // the name of your library; add a "version" if you publish releases
  language: "typescript",
  runtime: `node ${process.versions.node}`,
};
const capabilities = { encode: {}, decode: {} }; // such as encode: { add_special_tokens: "never" }

// The tokenizer of a model, whose `encoding` is there where it is known. options: of subject.toml.
// What is thrown here is the answer that the library does not read this model.
function load(model: Model, options: Record<string, unknown>): Tokenizer | Promise<Tokenizer> {
  return new TextEncoder(); // here: Tokenizer.fromFile(model.path)
}

// The ids of a text, as an array of any kind.
function encode(tokenizer: Tokenizer, text: string, addSpecialTokens: boolean): Ids | Promise<Ids> {
  return tokenizer.encode(text); // here: tokenizer.encode(text, addSpecialTokens)
}

// The text of an array of ids: a string, or its bytes as a Uint8Array.
function decode(tokenizer: Tokenizer, ids: number[], skipSpecialTokens: boolean): Decoded | Promise<Decoded> {
  for (const id of ids) {
    if (id < 0 || id > 255) throw new RangeError(`no token has the id ${id}`);
  }
  return Uint8Array.from(ids); // here: tokenizer.decode(ids, skipSpecialTokens)
}

// From here on nothing is to be changed.

type Fields = Record<string, any>;

let tokenizer: Tokenizer | undefined;

// The answer to a message; what is thrown is a mistake in the message, or here.
async function answer(message: Fields): Promise<Fields> {
  switch (message.op) {
    case "start":
    case "load":
      return start(message);
    case "encode":
      return results(message.items.map(textOf), async (loaded, text: string) => ({
        ids: Array.from(await encode(loaded, text, message.add_special_tokens), asJson),
      }));
    case "decode":
      return results(message.items.map(idsOf), async (loaded, ids: number[]) =>
        decoded(await decode(loaded, ids, message.skip_special_tokens)),
      );
    default:
      throw new Error(`unknown op ${JSON.stringify(message.op)}`);
  }
}

async function start({ model, options = {} }: Fields): Promise<Fields> {
  tokenizer = undefined;
  if (typeof model?.path !== "string") throw new Error("a message without a model");
  try {
    tokenizer = await load(model, options);
  } catch (error) {
    return { unavailable: { message: String(error) } };
  }
  return { started: { protocol: 1, subject: about, capabilities } };
}

// One result for each input; what the library throws is the answer to that one.
async function results<Input>(
  inputs: Input[],
  ask: (loaded: Tokenizer, input: Input) => Promise<Fields>,
): Promise<Fields> {
  if (tokenizer === undefined) throw new Error("no model is loaded");
  const given: Fields[] = [];
  for (const input of inputs) {
    try {
      given.push(await ask(tokenizer, input));
    } catch (error: any) {
      given.push({ refused: { ...told(error), type: String(error?.name ?? typeof error) } });
    }
  }
  return { results: given };
}

function textOf({ text }: Fields): string {
  if (typeof text !== "string") throw new Error("an item without a text");
  return text;
}

function idsOf({ ids }: Fields): number[] {
  if (!Array.isArray(ids) || !ids.every(Number.isInteger)) throw new Error("an item without ids");
  return ids;
}

// An id as it is, but for a BigInt, which JSON has not: a string or NaN is for the harness to tell.
function asJson(id: number | bigint): number {
  return typeof id === "bigint" ? Number(id) : id;
}

function decoded(text: Decoded): Fields {
  if (typeof text === "string") return { text };
  return { base64: btoa(Array.from(text, (byte) => String.fromCharCode(byte)).join("")) };
}

function told(error: any): Fields {
  return { message: String(error?.message ?? error) };
}

// Whether to go on after a line.
async function answerLine(line: string): Promise<boolean> {
  let message: Fields;
  try {
    message = JSON.parse(line);
  } catch (error) {
    console.error(`passed over a line that is no JSON: ${told(error).message}`);
    return true;
  }
  if (!Number.isInteger(message?.id)) {
    console.error("passed over a message without an id");
    return true;
  }
  if (message.op === "stop") return false;
  const given = await answer(message).catch((error) => ({ error: told(error) }));
  process.stdout.write(JSON.stringify({ id: message.id, ...given }) + "\n");
  return true;
}

process.stdin.setEncoding("utf8");
let begun: string[] = []; // of a line, what has come of it
for await (const chunk of process.stdin) {
  const [end = "", ...starts] = chunk.split("\n");
  begun.push(end);
  for (const next of starts) {
    if (!(await answerLine(begun.join("")))) process.exit(0);
    begun = [next];
  }
}
process.exit(0);
