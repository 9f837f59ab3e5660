// A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
//
// Three functions are to be filled in: load, encode and decode. They may be async, and may throw what the library
// throws. As they stand, they are a tokenizer of bytes. What is logged goes to standard error.
import { createInterface } from "node:readline";

console.log = console.info = console.debug = console.error; // standard output is for answers

const about = {
  name: "bytes", // the name of your library; add a "version" if you publish releases
  language: "javascript",
  runtime: `node ${process.versions.node}`,
};
const capabilities = { encode: {}, decode: {} }; // such as encode: { add_special_tokens: "never" }

// The tokenizer of a model: { path, format, sha256 }, and `encoding` where it is known. options: of subject.toml.
// What is thrown here is the answer that the library does not read this model.
function load(model, options) {
  return new TextEncoder(); // here: Tokenizer.fromFile(model.path)
}

// The ids of a text, as an array of any kind.
function encode(tokenizer, text, addSpecialTokens) {
  return tokenizer.encode(text); // here: tokenizer.encode(text, addSpecialTokens)
}

// The text of an array of ids: a string, or its bytes as a Uint8Array.
function decode(tokenizer, ids, skipSpecialTokens) {
  for (const id of ids) {
    if (id < 0 || id > 255) throw new RangeError(`no token has the id ${id}`);
  }
  return Uint8Array.from(ids); // here: tokenizer.decode(ids, skipSpecialTokens)
}

// From here on nothing is to be changed.

let tokenizer;

// The answer to a message; what is thrown is a mistake in the message, or here.
async function answer(message) {
  switch (message.op) {
    case "start":
    case "load":
      return start(message);
    case "encode":
      return results(message.items.map(textOf), async (text) => ({
        ids: Array.from(await encode(tokenizer, text, message.add_special_tokens), asJson),
      }));
    case "decode":
      return results(message.items.map(idsOf), async (ids) =>
        decoded(await decode(tokenizer, ids, message.skip_special_tokens)),
      );
    default:
      throw new Error(`unknown op ${JSON.stringify(message.op)}`);
  }
}

async function start({ model, options = {} }) {
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
async function results(inputs, ask) {
  if (tokenizer === undefined) throw new Error("no model is loaded");
  const given = [];
  for (const input of inputs) {
    try {
      given.push(await ask(input));
    } catch (error) {
      given.push({ refused: { ...told(error), type: String(error?.name ?? typeof error) } });
    }
  }
  return { results: given };
}

function textOf({ text }) {
  if (typeof text !== "string") throw new Error("an item without a text");
  return text;
}

function idsOf({ ids }) {
  if (!Array.isArray(ids) || !ids.every(Number.isInteger)) throw new Error("an item without ids");
  return ids;
}

// An id as it is, but for a BigInt, which JSON has not: a string or NaN is for the harness to tell.
function asJson(id) {
  return typeof id === "bigint" ? Number(id) : id;
}

function decoded(text) {
  return typeof text === "string" ? { text } : { base64: Buffer.from(text).toString("base64") };
}

function told(error) {
  return { message: String(error?.message ?? error) };
}

for await (const line of createInterface({ input: process.stdin })) {
  let message;
  try {
    message = JSON.parse(line);
  } catch (error) {
    console.error(`passed over a line that is no JSON: ${error.message}`);
    continue;
  }
  if (!Number.isInteger(message?.id)) {
    console.error("passed over a message without an id");
    continue;
  }
  if (message.op === "stop") break;
  const given = await answer(message).catch((error) => ({ error: told(error) }));
  process.stdout.write(JSON.stringify({ id: message.id, ...given }) + "\n");
}
process.exit(0);
