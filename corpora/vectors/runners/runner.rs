// Vectors for Rust:  rustc --edition 2021 -O runner.rs && gzip -dc core.json.gz | ./runner tokenizer.json
// json.rs is beside it where `conformance subject init --language rust` has written an adapter. Put your library into
// `Tokenizer`; it gives an Err where it refuses. Streams and settings are left out.
#[allow(dead_code)]
mod json;
use json::Json;
use std::io::Read;

type Answer<T> = Result<T, String>;

struct Tokenizer; // a toy, whose ids are the bytes of UTF-8

impl Tokenizer {
    fn load(_path: &str) -> Tokenizer { Tokenizer }
    fn encode(&self, text: &str, _add_special_tokens: bool) -> Answer<Vec<i64>> { Ok(text.bytes().map(i64::from).collect()) }
    fn decode(&self, ids: &[i64], _skip_special_tokens: bool) -> Answer<String> {
        let data: Answer<Vec<u8>> = ids.iter().map(|&id| u8::try_from(id).map_err(|_| "no id".into())).collect();
        Ok(String::from_utf8_lossy(&data?).into_owned())
    }
}

fn ids(value: &Json) -> Answer<Vec<i64>> { value.array()?.iter().map(Json::integer).collect() }

fn is_right(tokenizer: &Tokenizer, group: &Json, test: &Json) -> Answer<bool> {
    if group.field("type")?.string()? == "decode" {
        let text = tokenizer.decode(&ids(test.field("ids")?)?, group.field("skipSpecialTokens")?.bool()?)?;
        return Ok(test.field("text").is_ok_and(|right| right.string() == Ok(text.as_str())));
    }
    let special = group.field("addSpecialTokens")?.bool()?;
    if group.field("type")?.string()? == "encode" {
        let found = tokenizer.encode(test.field("text")?.string()?, special)?;
        return Ok(test.field("ids").is_ok_and(|right| ids(right) == Ok(found)));
    }
    for (text, right) in test.field("texts")?.array()?.iter().zip(test.field("ids")?.array()?) {
        if tokenizer.encode(text.string()?, special)? != ids(right)? { return Ok(false); }
    }
    Ok(true)
}

fn main() -> Answer<()> {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).map_err(|error| error.to_string())?;
    let vectors = json::read(&input)?;
    let tokenizer = Tokenizer::load(&std::env::args().nth(1).unwrap_or_default());
    let (mut passed, mut failed, mut acceptable, mut skipped) = (0, 0, 0, 0);
    for group in vectors.field("testGroups")?.array()? {
        let kind = group.field("type")?.string()?;
        for test in group.field("tests")?.array()? {
            let result = test.field("result")?.string()?;
            if !["encode", "decode", "batch"].contains(&kind) || (kind == "encode" && test.field("text").is_err()) { skipped += 1; continue; }
            let right = match is_right(&tokenizer, group, test) { Ok(same) => same && result != "refused", Err(_) => result == "refused" };
            if right { passed += 1 } else if result == "acceptable" { acceptable += 1 } else {
                failed += 1;
                let flags: Answer<Vec<&str>> = test.field("flags")?.array()?.iter().map(Json::string).collect();
                println!("FAIL {} {kind} {}", test.field("tcId")?.integer()?, flags?.join("; "));
            }
        }
    }
    println!("{passed} passed, {failed} failed, {acceptable} acceptable, {skipped} skipped");
    std::process::exit(if failed > 0 || passed == 0 { 1 } else { 0 });
}
