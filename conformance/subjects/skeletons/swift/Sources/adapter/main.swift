// A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
//
// Three functions are to be filled in: load, encode and decode. They may throw what the library throws. As they stand,
// they are a tokenizer of bytes. What is logged goes to standard error.

import Foundation

let about = [
    "name": "bytes",  // the name of your library; add a "version" if you publish releases
    "language": "swift",
]

// Such as ["encode": ["add_special_tokens": "never"], …].
let capabilities: [String: [String: Any]] = ["encode": [:], "decode": [:]]

/// Here: what the library has.
final class Tokenizer {}

/// The tokenizer of a model: its path, format and sha256, its encoding where that is known. options: of subject.toml.
/// What is thrown here is the answer that the library does not read this model.
func load(_ model: [String: Any], options: [String: Any]) throws -> Tokenizer {
    return Tokenizer()  // here: the library reads model["path"] as! String
}

/// The ids of a text.
func encode(_ tokenizer: Tokenizer, _ text: String, addSpecialTokens: Bool) throws -> [Int] {
    return text.utf8.map { Int($0) }
}

/// What a library decodes to.
enum Decoded {
    case text(String)
    case bytes([UInt8])
}

/// The text of ids: a string, or its bytes.
func decode(_ tokenizer: Tokenizer, _ ids: [Int], skipSpecialTokens: Bool) throws -> Decoded {
    return .bytes(
        try ids.map { id in
            guard let byte = UInt8(exactly: id) else { throw Problem("no token has the id \(id)") }
            return byte
        })
}

// From here on nothing is to be changed.

struct Problem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

typealias Fields = [String: Any]

var current: Tokenizer?

func field<Kind>(_ object: Fields, _ name: String) throws -> Kind {
    guard let value = object[name] as? Kind else { throw Problem("no field '\(name)', or of another kind") }
    return value
}

func start(_ message: Fields) throws -> Fields {
    let model: Fields = try field(message, "model")
    current = nil
    do {
        current = try load(model, options: message["options"] as? Fields ?? [:])
    } catch {
        return ["unavailable": ["message": "\(error)"]]
    }
    return ["started": ["protocol": 1, "subject": about, "capabilities": capabilities] as Fields]
}

/// One result for each input; what the library throws is the answer to that one.
func results<Input>(_ inputs: [Input], _ ask: (Tokenizer, Input) throws -> Fields) throws -> Fields {
    guard let tokenizer = current else { throw Problem("no model is loaded") }
    let given = inputs.map { input -> Fields in
        do {
            return try ask(tokenizer, input)
        } catch {
            return ["refused": ["message": "\(error)", "type": "\(type(of: error))"]]
        }
    }
    return ["results": given]
}

/// The fields of the answer to a message; what is thrown is a mistake in the message, or here.
func answer(_ message: Fields) throws -> Fields {
    let op: String = try field(message, "op")
    switch op {
    case "start", "load":
        return try start(message)
    case "encode":
        let special: Bool = try field(message, "add_special_tokens")
        let items: [Fields] = try field(message, "items")
        let texts: [String] = try items.map { try field($0, "text") }
        return try results(texts) { tokenizer, text in
            ["ids": try encode(tokenizer, text, addSpecialTokens: special)]
        }
    case "decode":
        let skips: Bool = try field(message, "skip_special_tokens")
        let items: [Fields] = try field(message, "items")
        let lists: [[Int]] = try items.map { try field($0, "ids") }
        return try results(lists) { tokenizer, ids in
            switch try decode(tokenizer, ids, skipSpecialTokens: skips) {
            case .text(let text): return ["text": text]
            case .bytes(let bytes): return ["base64": Data(bytes).base64EncodedString()]
            }
        }
    default:
        throw Problem("unknown op '\(op)'")
    }
}

/// The message of a line, and its id; nil for what has none: such a line is passed over.
func read(_ line: String) -> (Fields, Int)? {
    let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
    guard let message = value as? Fields, let id = message["id"] as? Int else {
        FileHandle.standardError.write(Data("passed over a line that is no message with an id\n".utf8))
        return nil
    }
    return (message, id)
}

#if !canImport(ObjectiveC)
func autoreleasepool<Made>(invoking body: () throws -> Made) rethrows -> Made { return try body() }
#endif

/// Answer a line; whether to go on.
func answerLine(_ line: String) throws -> Bool {
    guard let (message, id) = read(line) else { return true }
    if message["op"] as? String == "stop" { return false }
    var given: Fields
    do {
        given = try answer(message)
    } catch {
        given = ["error": ["message": "\(error)"]]
    }
    given["id"] = id
    answers.write(try JSONSerialization.data(withJSONObject: given) + Data("\n".utf8))
    return true
}

let answers = FileHandle(fileDescriptor: dup(1), closeOnDealloc: false)
dup2(2, 1)  // what the library prints is no answer

while let line = readLine() {
    if try !autoreleasepool(invoking: { try answerLine(line) }) { break }
}
exit(0)
