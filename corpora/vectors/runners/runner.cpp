// Vectors for C++:  c++ -std=c++17 -O2 -o runner runner.cpp -lsentencepiece
//                   gzip -dc core.json.gz | ./runner tokenizer.model
// json.hpp is beside it where `conformance subject init --language cpp` has written an adapter. Put your library into
// `Tokenizer`; it throws where it refuses. Streams and settings are left out.
#include <iostream>
#include <iterator>
#include <sentencepiece_processor.h>
#include "json.hpp"

using Ids = std::vector<int>;

struct Tokenizer {
    sentencepiece::SentencePieceProcessor processor;
    explicit Tokenizer(const char* path) { check(processor.Load(path)); }
    static void check(const sentencepiece::util::Status& status) {
        if (!status.ok()) throw std::runtime_error(status.ToString());
    }
    Ids encode(const std::string& text, bool) { Ids ids; check(processor.Encode(text, &ids)); return ids; }
    std::string decode(const Ids& ids, bool) { std::string text; check(processor.Decode(ids, &text)); return text; }
};

Ids ids_of(const json::Value& value) {
    Ids ids;
    for (const auto& id : value.array()) {  // an id that the type cannot hold must not become another one
        if (id.integer() > 0x7fffffff) throw std::out_of_range("no id");
        ids.push_back(static_cast<int>(id.integer()));
    }
    return ids;
}

std::string bytes_of(const std::string& hex) {
    std::string data;
    for (size_t n = 0; n < hex.size(); n += 2) data += static_cast<char>(std::stoi(hex.substr(n, 2), nullptr, 16));
    return data;
}

int main(int, char** arguments) {
    const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
    Tokenizer tokenizer(arguments[1]);
    int passed = 0, failed = 0, acceptable = 0, skipped = 0;
    const auto vectors = json::read(input);
    for (const auto& group : vectors["testGroups"].array()) {
        const std::string& type = group["type"].string();
        const json::Value* flag = group.find(type == "decode" ? "skipSpecialTokens" : "addSpecialTokens");
        for (const auto& test : group["tests"].array()) {
            const json::Value *text = test.find("text"), *hex = test.find("bytesHex");
            const std::string& result = test["result"].string();
            if ((type != "encode" && type != "decode" && type != "batch") || (type == "encode" && !text && !hex)) { skipped++; continue; }
            bool right;
            try {
                if (type == "encode") {
                    const Ids ids = tokenizer.encode(text ? text->string() : bytes_of(hex->string()), flag->boolean());
                    right = result != "refused" && ids == ids_of(test["ids"]);
                } else if (type == "decode") {
                    const std::string decoded = tokenizer.decode(ids_of(test["ids"]), flag->boolean());
                    right = result != "refused" && decoded == text->string();
                } else {
                    right = true;
                    for (size_t n = 0; n < test["texts"].array().size(); n++)
                        right &= tokenizer.encode(test["texts"].array()[n].string(), flag->boolean()) == ids_of(test["ids"].array()[n]);
                }
            } catch (const std::exception&) { right = result == "refused"; }
            if (right) passed++;
            else if (result == "acceptable") acceptable++;
            else {
                failed++;
                std::cout << "FAIL " << test["tcId"].integer() << ' ' << type;
                for (const auto& name : test["flags"].array()) std::cout << (&name == &test["flags"].array()[0] ? " " : "; ") << name.string();
                std::cout << '\n';
            }
        }
    }
    std::cout << passed << " passed, " << failed << " failed, " << acceptable << " acceptable, " << skipped << " skipped\n";
    return failed || !passed ? 1 : 0;
}
