// The sentencepiece of Debian, in C++, as a subject: the release that stands in many an image, years behind that of PyPI.
//
// It reads .model files. Offsets are bytes of UTF-8; special tokens in a text are text, and decode to nothing.
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sentencepiece_processor.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "json.hpp"

using sentencepiece::SentencePieceProcessor;

static std::unique_ptr<SentencePieceProcessor> processor;

// What the library refuses.
struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static void check(const sentencepiece::util::Status& status) {
    if (!status.ok()) throw Refusal(status.ToString());
}

static json::Value about() {
    return json::Object{
        {"name", "debian-sentencepiece"},
        {"version", SENTENCEPIECE},
        {"language", "C++"},
        {"runtime", "c++ " + std::to_string(__cplusplus)},
    };
}

static json::Value capabilities() {
    return json::Object{
        {"encode",
         json::Object{
             {"fields", json::Array{"tokens", "offsets"}},
             {"offsets_unit", "utf8"},
             {"add_special_tokens", "never"},
             {"special_in_text", "text"},
         }},
        {"decode", json::Object{{"skip_special_tokens", "always"}}},
        {"reset", true},
    };
}

static json::Object start(const json::Value& message) {
    processor = std::make_unique<SentencePieceProcessor>();
    try {
        check(processor->Load(message["model"]["path"].string()));
    } catch (const Refusal& refusal) {
        processor.reset();
        return {{"unavailable", json::Object{{"message", refusal.what()}}}};
    }
    return {{"started", json::Object{{"protocol", 1}, {"subject", about()}, {"capabilities", capabilities()}}}};
}

static json::Object encoded(const std::string& text) {
    const auto found = processor->EncodeAsImmutableProto(text);
    json::Array ids, tokens, offsets;
    for (const auto& piece : found.pieces()) {
        ids.push_back(std::int64_t{piece.id()});
        tokens.push_back(piece.piece());
        offsets.push_back(json::Array{std::int64_t{piece.begin()}, std::int64_t{piece.end()}});
    }
    return {{"ids", std::move(ids)}, {"tokens", std::move(tokens)}, {"offsets", std::move(offsets)}};
}

static std::string base64(const std::string& bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        auto byte = [&](std::size_t j) { return j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0u; };
        const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        out += digits[three >> 18];
        out += digits[three >> 12 & 63];
        out += i + 1 < bytes.size() ? digits[three >> 6 & 63] : '=';
        out += i + 2 < bytes.size() ? digits[three & 63] : '=';
    }
    return out;
}

static json::Object decoded(const std::vector<std::int64_t>& given) {
    std::vector<int> ids;
    for (const std::int64_t id : given) {
        if (id < std::numeric_limits<int>::min() || id > std::numeric_limits<int>::max()) throw Refusal("no int");
        ids.push_back(static_cast<int>(id));
    }
    std::string text;
    check(processor->Decode(ids, &text));
    return {{"base64", base64(text)}};
}

// One result for each input; what the library refuses is the answer to that one.
template <class Input, class Ask>
static json::Object results(const std::vector<Input>& inputs, Ask ask) {
    if (!processor) throw json::Error("no model is loaded");
    json::Array given;
    for (const Input& input : inputs) {
        try {
            given.push_back(ask(input));
        } catch (const Refusal& refusal) {
            given.push_back(json::Object{{"refused", json::Object{{"message", refusal.what()}, {"type", "Status"}}}});
        }
    }
    return {{"results", std::move(given)}};
}

// The answer to a message; what is thrown is a mistake in the message, or here.
static json::Object answer(const json::Value& message) {
    const std::string& op = message["op"].string();
    if (op == "start" || op == "load") return start(message);
    if (op == "reset") return {{"ok", true}};
    if (op == "encode") {
        std::vector<std::string> texts;
        for (const json::Value& item : message["items"].array()) texts.push_back(item["text"].string());
        return results(texts, encoded);
    }
    if (op == "decode") {
        std::vector<std::vector<std::int64_t>> lists;
        for (const json::Value& item : message["items"].array()) {
            auto& ids = lists.emplace_back();
            for (const json::Value& id : item["ids"].array()) ids.push_back(id.integer());
        }
        return results(lists, decoded);
    }
    throw json::Error("unknown op '" + op + "'");
}

// The message of a line, if it has an id; the others are passed over.
static std::optional<json::Value> read(const std::string& line) {
    try {
        json::Value message = json::read(line);
        message["id"].integer();
        return message;
    } catch (const json::Error& error) {
        std::cerr << "passed over a line: " << error.what() << '\n';
        return std::nullopt;
    }
}

int main() {
    std::FILE* answers = fdopen(dup(1), "w");
    dup2(2, 1);  // what the library prints is no answer
    if (!answers) return 1;
    std::ios::sync_with_stdio(false);
    for (std::string line, out; std::getline(std::cin, line);) {
        const std::optional<json::Value> message = read(line);
        if (!message) continue;
        json::Object given;
        try {
            if ((*message)["op"].string() == "stop") break;
            given = answer(*message);
        } catch (const std::exception& error) {
            given = {{"error", json::Object{{"message", error.what()}}}};
        }
        given.emplace("id", (*message)["id"]);
        out.clear();
        json::Value(std::move(given)).write(out);
        out += '\n';
        std::fwrite(out.data(), 1, out.size(), answers);
        std::fflush(answers);
    }
    return 0;
}
