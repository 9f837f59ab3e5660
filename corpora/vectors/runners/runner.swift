// Vectors for Swift:  gzip -dc core.json.gz | swift runner.swift tokenizer.json
// Put your library into Tokenizer; it throws where it refuses. Streams and settings are left out.
// Strings are compared by scalars: to Swift, two texts that are canonically equivalent are equal.
import Foundation

struct Refusal: Error {}

struct Tokenizer { // a toy, whose ids are the bytes of UTF-8
    init(path: String) {}
    func encode(_ text: String, addSpecialTokens: Bool) throws -> [Int] { text.utf8.map(Int.init) }
    func decode(_ ids: [Int], skipSpecialTokens: Bool) throws -> String {
        if ids.contains(where: { $0 > 255 }) { throw Refusal() }
        return String(decoding: ids.map(UInt8.init), as: UTF8.self)
    }
}

typealias Fields = [String: Any]

func isRight(_ tokenizer: Tokenizer, _ group: Fields, _ test: Fields) throws -> Bool {
    let special = group["addSpecialTokens"] as? Bool ?? true
    switch group["type"] as! String {
    case "encode": return try tokenizer.encode(test["text"] as! String, addSpecialTokens: special) == test["ids"] as? [Int]
    case "decode":
        let text = try tokenizer.decode(test["ids"] as! [Int], skipSpecialTokens: group["skipSpecialTokens"] as! Bool)
        guard let right = test["text"] as? String else { return false }
        return text.unicodeScalars.elementsEqual(right.unicodeScalars)
    default:
        return try (test["texts"] as! [String]).map { try tokenizer.encode($0, addSpecialTokens: special) } == test["ids"] as! [[Int]]
    }
}

let input = FileHandle.standardInput.readDataToEndOfFile()
let vectors = try JSONSerialization.jsonObject(with: input) as! Fields
let tokenizer = Tokenizer(path: CommandLine.arguments[1])
var (passed, failed, acceptable, skipped) = (0, 0, 0, 0)
for group in vectors["testGroups"] as! [Fields] {
    let type = group["type"] as! String
    for test in group["tests"] as! [Fields] {
        let result = test["result"] as! String
        if !["encode", "decode", "batch"].contains(type) || (type == "encode" && test["text"] == nil) { skipped += 1; continue }
        var right: Bool
        do { right = try isRight(tokenizer, group, test) && result != "refused" } catch { right = result == "refused" }
        if right { passed += 1 } else if result == "acceptable" { acceptable += 1 } else {
            failed += 1
            print("FAIL \(test["tcId"]!) \(type) \((test["flags"] as! [String]).joined(separator: "; "))")
        }
    }
}
print("\(passed) passed, \(failed) failed, \(acceptable) acceptable, \(skipped) skipped")
exit(failed > 0 || passed == 0 ? 1 : 0)
