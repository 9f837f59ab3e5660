//! A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
//!
//! Three functions are to be filled in: load, encode and decode. They may return what errors the library has, and panic
//! where it does. As they stand, they are a tokenizer of bytes. What is logged goes to standard error: eprintln!.

mod json;

use std::any::Any;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

use json::{object, Json};

/// The name of your library; add a "version" if you publish releases.
fn about() -> Json {
    object([("name", "bytes".into()), ("language", "rust".into())])
}

/// Such as ("encode", object([("add_special_tokens", "never".into())])).
fn capabilities() -> Json {
    object([("encode", object([])), ("decode", object([]))])
}

/// Here: what the library has.
struct Tokenizer;

/// The tokenizer of a model: its path, format and sha256, its encoding where that is known. options: of subject.toml.
/// An error is the answer that the library does not read this model.
fn load(model: &Json, _options: &Json) -> Result<Tokenizer, Box<dyn Error>> {
    let _path = model.field("path")?.string()?; // here: the library reads this file
    Ok(Tokenizer)
}

/// The ids of a text.
fn encode(_tokenizer: &mut Tokenizer, text: &str, _add_special_tokens: bool) -> Result<Vec<i64>, Box<dyn Error>> {
    Ok(text.bytes().map(i64::from).collect())
}

/// The text of ids, as the bytes that the library gives, UTF-8 or not.
fn decode(_tokenizer: &mut Tokenizer, ids: &[i64], _skip_special_tokens: bool) -> Result<Vec<u8>, Box<dyn Error>> {
    ids.iter().map(|id| u8::try_from(*id).map_err(|_| format!("no token has the id {id}").into())).collect()
}

// From here on nothing is to be changed.

fn message(kind: &str, text: &str) -> Json {
    object([(kind, object([("message", text.into())]))])
}

fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into())
}

/// One result for each input: an error of the library is the answer to that one, and a panic is a crash.
fn results<T>(
    tokenizer: &mut Option<Tokenizer>,
    inputs: &[T],
    ask: impl Fn(&mut Tokenizer, &T) -> Result<Json, Box<dyn Error>>,
) -> Result<Json, String> {
    let tokenizer = tokenizer.as_mut().ok_or("no model is loaded")?;
    let asked = inputs.iter().map(|input| match catch_unwind(AssertUnwindSafe(|| ask(tokenizer, input))) {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => message("refused", &error.to_string()),
        Err(panic) => message("crashed", &panic_text(panic)),
    });
    Ok(object([("results", Json::Array(asked.collect()))]))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| usize::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            out.push(if i <= three.len() { char::from(DIGITS[bits >> (18 - 6 * i) & 63]) } else { '=' });
        }
    }
    out
}

fn start(tokenizer: &mut Option<Tokenizer>, asked: &Json) -> Result<Json, String> {
    let model = asked.field("model")?;
    let none = object([]);
    *tokenizer = None;
    match load(model, asked.field("options").unwrap_or(&none)) {
        Ok(loaded) => *tokenizer = Some(loaded),
        Err(error) => return Ok(message("unavailable", &error.to_string())),
    }
    let started = [("protocol", Json::Integer(1)), ("subject", about()), ("capabilities", capabilities())];
    Ok(object([("started", object(started))]))
}

/// The answer to a message; an error is a mistake in the message.
fn answer(tokenizer: &mut Option<Tokenizer>, asked: &Json) -> Result<Json, String> {
    let items = || asked.field("items")?.array();
    match asked.field("op")?.string()? {
        "start" | "load" => start(tokenizer, asked),
        "encode" => {
            let special = asked.field("add_special_tokens")?.bool()?;
            let texts: Vec<&str> = items()?.iter().map(|item| item.field("text")?.string()).collect::<Result<_, _>>()?;
            results(tokenizer, &texts, |tokenizer, text| {
                let ids = encode(tokenizer, text, special)?;
                Ok(object([("ids", Json::Array(ids.into_iter().map(Json::Integer).collect()))]))
            })
        }
        "decode" => {
            let skips = asked.field("skip_special_tokens")?.bool()?;
            let ids = |item: &Json| item.field("ids")?.array()?.iter().map(Json::integer).collect();
            let lists: Vec<Vec<i64>> = items()?.iter().map(ids).collect::<Result<_, String>>()?;
            results(tokenizer, &lists, |tokenizer, ids| {
                Ok(object([("base64", Json::String(base64(&decode(tokenizer, ids, skips)?)))]))
            })
        }
        op => Err(format!("unknown op '{op}'")),
    }
}

/// A line as a message, and its id.
fn read(line: &[u8]) -> Result<(Json, i64), String> {
    let asked = json::read(std::str::from_utf8(line).map_err(|error| error.to_string())?)?;
    let id = asked.field("id")?.integer()?;
    Ok((asked, id))
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout());
    let mut tokenizer = None;
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        match read(&line) {
            Err(problem) => eprintln!("passed over a line: {problem}"),
            Ok((asked, _)) if asked.field("op") == Ok(&"stop".into()) => break,
            Ok((asked, id)) => {
                let caught = catch_unwind(AssertUnwindSafe(|| answer(&mut tokenizer, &asked)));
                let given = caught.unwrap_or_else(|panic| Err(panic_text(panic)));
                let given = given.unwrap_or_else(|problem| message("error", &problem));
                let mut out = String::new();
                if let Json::Object(mut fields) = given {
                    fields.insert(0, ("id".into(), Json::Integer(id)));
                    Json::Object(fields).write(&mut out);
                }
                out.push('\n');
                output.write_all(out.as_bytes())?;
                output.flush()?;
            }
        }
        line.clear();
    }
    Ok(())
}
