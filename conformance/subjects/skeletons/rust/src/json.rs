//! A strict reader and writer of JSON: what the messages of an adapter need, and no more. What is written is ASCII.

use std::fmt::Write;

const DEEPEST: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    /// Of a key that is there several times, the last counts.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of a key, or what is wrong.
    pub fn field(&self, key: &str) -> Result<&Json, String> {
        match self {
            Json::Object(fields) => fields.iter().rev().find(|field| field.0 == key).map(|field| &field.1),
            _ => None,
        }
        .ok_or_else(|| format!("no field '{key}'"))
    }

    pub fn bool(&self) -> Result<bool, String> {
        match self {
            Json::Bool(value) => Ok(*value),
            _ => Err("no boolean".into()),
        }
    }

    pub fn integer(&self) -> Result<i64, String> {
        match self {
            Json::Integer(value) => Ok(*value),
            _ => Err("no integer".into()),
        }
    }

    pub fn string(&self) -> Result<&str, String> {
        match self {
            Json::String(value) => Ok(value),
            _ => Err("no string".into()),
        }
    }

    pub fn array(&self) -> Result<&[Json], String> {
        match self {
            Json::Array(items) => Ok(items),
            _ => Err("no array".into()),
        }
    }

    pub fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Integer(value) => write!(out, "{value}").unwrap(),
            Json::Number(value) => write!(out, "{value:?}").unwrap(),
            Json::String(text) => write_string(text, out),
            Json::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(fields) => {
                out.push('{');
                for (i, (key, value)) in fields.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    write_string(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::String(text.into())
    }
}

/// An object of these fields.
pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

/// A whole text as a value; what is no JSON, or is more than 100 levels deep, is an error.
pub fn read(text: &str) -> Result<Json, String> {
    let mut reader = Reader { text, place: 0 };
    let value = reader.value(0)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => reader.fail("more than one value"),
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").unwrap();
                }
            }
        }
    }
    out.push('"');
}

struct Reader<'a> {
    text: &'a str,
    place: usize,
}

impl Reader<'_> {
    fn fail<T>(&self, problem: &str) -> Result<T, String> {
        Err(format!("{problem} at byte {}", self.place))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.place += usize::from(is_there);
        is_there
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.place += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return self.fail("too many levels");
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, String> {
        if !self.text.as_bytes()[self.place..].starts_with(word.as_bytes()) {
            return self.fail("no value");
        }
        self.place += word.len();
        Ok(value)
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        let mut fields = Vec::new();
        self.place += 1;
        self.skip_space();
        if self.take(b'}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return self.fail("no key");
            }
            let key = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return self.fail("no ':'");
            }
            fields.push((key, self.value(depth + 1)?));
            self.skip_space();
            if self.take(b'}') {
                return Ok(Json::Object(fields));
            }
            if !self.take(b',') {
                return self.fail("no end of the object");
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, String> {
        let mut items = Vec::new();
        self.place += 1;
        self.skip_space();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            if !self.take(b',') {
                return self.fail("no end of the array");
            }
        }
    }

    fn take_digits(&mut self) -> bool {
        let start = self.place;
        while let Some(b'0'..=b'9') = self.peek() {
            self.place += 1;
        }
        self.place > start
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.place;
        let mut is_integer = true;
        self.take(b'-');
        if !self.take(b'0') && !self.take_digits() {
            return self.fail("no value");
        }
        if self.take(b'.') {
            is_integer = false;
            if !self.take_digits() {
                return self.fail("no digit");
            }
        }
        if self.take(b'e') || self.take(b'E') {
            is_integer = false;
            if !self.take(b'+') {
                self.take(b'-');
            }
            if !self.take_digits() {
                return self.fail("no digit");
            }
        }
        let number = &self.text[start..self.place];
        match number.parse() {
            Ok(integer) if is_integer => Ok(Json::Integer(integer)),
            _ => Ok(Json::Number(number.parse().expect("a number of JSON is one of Rust"))),
        }
    }

    fn unit(&mut self) -> Result<u32, String> {
        let mut unit = 0;
        for _ in 0..4 {
            match self.peek().and_then(|byte| char::from(byte).to_digit(16)) {
                Some(digit) => unit = unit << 4 | digit,
                None => return self.fail("no hexadecimal digit"),
            }
            self.place += 1;
        }
        Ok(unit)
    }

    fn escaped(&mut self) -> Result<char, String> {
        let mut point = self.unit()?;
        if (0xd800..0xdc00).contains(&point) && self.take(b'\\') && self.take(b'u') {
            let low = self.unit()?;
            if (0xdc00..0xe000).contains(&low) {
                point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        match char::from_u32(point) {
            Some(c) => Ok(c),
            None => self.fail("a lone surrogate"),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let mut out = String::new();
        self.place += 1;
        loop {
            let start = self.place;
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.place += 1;
            }
            out.push_str(&self.text[start..self.place]);
            if self.take(b'"') {
                return Ok(out);
            }
            if !self.take(b'\\') {
                return self.fail("no end of the string, or a control character in it");
            }
            let escape = self.peek();
            self.place += 1;
            out.push(match escape {
                Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
                Some(b'b') => '\u{8}',
                Some(b'f') => '\u{c}',
                Some(b'n') => '\n',
                Some(b'r') => '\r',
                Some(b't') => '\t',
                Some(b'u') => self.escaped()?,
                _ => return self.fail("no such escape"),
            });
        }
    }
}
