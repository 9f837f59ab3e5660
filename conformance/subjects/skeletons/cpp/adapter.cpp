// A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
//
// Three functions are to be filled in: load, encode and decode. They may throw what the library throws. As they stand,
// they are a tokenizer of bytes. What is logged goes to standard error.
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <unistd.h>
#include <vector>

#include "json.hpp"

static json::Value about() {
    return json::Object{
        {"name", "bytes"},  // the name of your library; add a "version" if you publish releases
        {"language", "cpp"},
        {"runtime", "c++ " + std::to_string(__cplusplus)},
    };
}

static json::Value capabilities() {
    // such as {"encode", json::Object{{"add_special_tokens", "never"}}}
    return json::Object{{"encode", json::Object{}}, {"decode", json::Object{}}};
}

struct Tokenizer {};  // here: what the library has

// The tokenizer of a model: its path, format and sha256, its encoding where that is known. options: of subject.toml.
// What is thrown here is the answer that the library does not read this model.
static std::unique_ptr<Tokenizer> load(const json::Value& model, const json::Value& options) {
    (void)options;
    (void)model["path"].string();  // here: the library reads this file
    return std::make_unique<Tokenizer>();
}

// The ids of a text, which is UTF-8.
static std::vector<std::int64_t> encode(Tokenizer& tokenizer, const std::string& text, bool add_special_tokens) {
    (void)tokenizer, (void)add_special_tokens;
    std::vector<std::int64_t> ids;
    for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
    return ids;
}

// The text of ids, as the bytes that the library gives, UTF-8 or not.
static std::string decode(Tokenizer& tokenizer, const std::vector<std::int64_t>& ids, bool skip_special_tokens) {
    (void)tokenizer, (void)skip_special_tokens;
    std::string bytes;
    for (const std::int64_t id : ids) {
        if (id < 0 || id > 255) throw std::out_of_range("no token has the id " + std::to_string(id));
        bytes += static_cast<char>(id);
    }
    return bytes;
}

// From here on nothing is to be changed.

static std::unique_ptr<Tokenizer> tokenizer;

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

static std::string type_of(const std::exception& error) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), std::free);
    return name ? name.get() : typeid(error).name();
}

// One result for each input; what the library throws is the answer to that one.
template <class Input, class Ask>
static json::Object results(const std::vector<Input>& inputs, Ask ask) {
    if (!tokenizer) throw json::Error("no model is loaded");
    json::Array given;
    for (const Input& input : inputs) {
        try {
            given.push_back(ask(input));
        } catch (const std::exception& error) {
            const json::Object told{{"message", error.what()}, {"type", type_of(error)}};
            given.push_back(json::Object{{"refused", told}});
        } catch (...) {
            given.push_back(json::Object{{"refused", json::Object{{"message", "it threw what is no std::exception"}}}});
        }
    }
    return {{"results", std::move(given)}};
}

static json::Object start(const json::Value& message) {
    const json::Value& model = message["model"];
    const json::Value* options = message.find("options");
    tokenizer.reset();
    try {
        tokenizer = load(model, options ? *options : json::Object{});
    } catch (const std::exception& error) {
        return {{"unavailable", json::Object{{"message", error.what()}}}};
    }
    return {{"started", json::Object{{"protocol", 1}, {"subject", about()}, {"capabilities", capabilities()}}}};
}

// The answer to a message; what is thrown is a mistake in the message, or here.
static json::Object answer(const json::Value& message) {
    const std::string& op = message["op"].string();
    if (op == "start" || op == "load") return start(message);
    if (op == "encode") {
        const bool special = message["add_special_tokens"].boolean();
        std::vector<std::string> texts;
        for (const json::Value& item : message["items"].array()) texts.push_back(item["text"].string());
        return results(texts, [&](const std::string& text) {
            json::Array ids;
            for (const std::int64_t id : encode(*tokenizer, text, special)) ids.push_back(id);
            return json::Object{{"ids", std::move(ids)}};
        });
    }
    if (op == "decode") {
        const bool skips = message["skip_special_tokens"].boolean();
        std::vector<std::vector<std::int64_t>> lists;
        for (const json::Value& item : message["items"].array()) {
            auto& ids = lists.emplace_back();
            for (const json::Value& id : item["ids"].array()) ids.push_back(id.integer());
        }
        return results(lists, [&](const std::vector<std::int64_t>& ids) {
            return json::Object{{"base64", base64(decode(*tokenizer, ids, skips))}};
        });
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
        } catch (...) {
            given = {{"error", json::Object{{"message", "it threw what is no std::exception"}}}};
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
