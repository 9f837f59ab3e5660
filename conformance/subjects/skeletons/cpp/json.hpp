// A strict reader and writer of JSON: what the messages of an adapter need, and no more.
//
// Strings are UTF-8, in memory and as read; what is written is ASCII. Integers of 64 bits stay exact.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace json {

class Value;
using Array = std::vector<Value>;
using Object = std::map<std::string, Value, std::less<>>;

// A text that is no JSON, or a value of another kind than was asked for.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Value {
public:
    Value() = default;
    Value(std::nullptr_t) {}
    Value(bool value) : held_(value) {}
    Value(int value) : held_(std::int64_t{value}) {}
    Value(std::int64_t value) : held_(value) {}
    Value(double value) : held_(value) {}
    Value(std::string value) : held_(std::move(value)) {}
    Value(const char* value) : held_(std::string(value)) {}
    Value(Array value) : held_(std::move(value)) {}
    Value(Object value) : held_(std::move(value)) {}

    bool boolean() const { return get<bool>("no boolean"); }
    std::int64_t integer() const { return get<std::int64_t>("no integer"); }
    const std::string& string() const { return get<std::string>("no string"); }
    const Array& array() const { return get<Array>("no array"); }
    const Object& object() const { return get<Object>("no object"); }

    // The value of a key; throws Error where there is none.
    const Value& operator[](std::string_view key) const {
        if (const Value* found = find(key)) return *found;
        throw Error("no field '" + std::string(key) + "'");
    }

    // The value of a key, or nullptr.
    const Value* find(std::string_view key) const {
        const Object& fields = object();
        auto found = fields.find(key);
        return found == fields.end() ? nullptr : &found->second;
    }

    void write(std::string& out) const;

private:
    template <class Kind>
    const Kind& get(const char* problem) const {
        if (const Kind* value = std::get_if<Kind>(&held_)) return *value;
        throw Error(problem);
    }

    std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> held_;
};

// A code point that is no surrogate, as UTF-8.
inline void append_utf8(std::string& out, std::uint32_t point) {
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xc0 | point >> 6);
        out += static_cast<char>(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        out += static_cast<char>(0xe0 | point >> 12);
        out += static_cast<char>(0x80 | (point >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (point & 0x3f));
    } else {
        out += static_cast<char>(0xf0 | point >> 18);
        out += static_cast<char>(0x80 | (point >> 12 & 0x3f));
        out += static_cast<char>(0x80 | (point >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (point & 0x3f));
    }
}

// The code point at a place of a text, which moves behind it; -1 for a byte that begins no UTF-8, moved by that one.
inline std::int64_t next_utf8(std::string_view text, std::size_t& place) {
    auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(place);
    const unsigned length =
        first < 0x80 ? 1 : first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    std::uint32_t point = length < 2 ? first : first & (0xffu >> (length + 1));
    for (unsigned i = 1; i < length; i++) {
        if ((byte(place + i) & 0xc0) != 0x80) return ++place, -1;
        point = point << 6 | (byte(place + i) & 0x3f);
    }
    const bool too_short = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    if (length == 0 || too_short || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return ++place, -1;
    place += length;
    return point;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    Value read() {
        Value value = read_value(0);
        skip_space();
        if (place_ != text_.size()) fail("more than one value");
        return value;
    }

private:
    static constexpr int deepest = 100;

    [[noreturn]] void fail(const char* problem) const {
        throw Error(std::string(problem) + " at byte " + std::to_string(place_));
    }

    int peek() const { return place_ < text_.size() ? static_cast<unsigned char>(text_[place_]) : -1; }

    bool take(char wanted) {
        if (peek() != wanted) return false;
        place_++;
        return true;
    }

    void skip_space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') place_++;
    }

    Value read_word(std::string_view word, Value value) {
        if (text_.substr(place_, word.size()) != word) fail("no value");
        place_ += word.size();
        return value;
    }

    Value read_value(int depth) {
        if (depth > deepest) fail("too many levels");
        skip_space();
        switch (peek()) {
            case '{': return read_object(depth);
            case '[': return read_array(depth);
            case '"': return read_string();
            case 't': return read_word("true", true);
            case 'f': return read_word("false", false);
            case 'n': return read_word("null", nullptr);
            default: return read_number();
        }
    }

    Value read_object(int depth) {
        Object fields;
        place_++;
        skip_space();
        if (take('}')) return fields;
        do {
            skip_space();
            if (peek() != '"') fail("no key");
            std::string key = read_string();
            skip_space();
            if (!take(':')) fail("no ':'");
            fields.insert_or_assign(std::move(key), read_value(depth + 1));
            skip_space();
        } while (take(','));
        if (!take('}')) fail("no end of the object");
        return fields;
    }

    Value read_array(int depth) {
        Array items;
        place_++;
        skip_space();
        if (take(']')) return items;
        do {
            items.push_back(read_value(depth + 1));
            skip_space();
        } while (take(','));
        if (!take(']')) fail("no end of the array");
        return items;
    }

    bool take_digits() {
        const std::size_t start = place_;
        while (peek() >= '0' && peek() <= '9') place_++;
        return place_ > start;
    }

    Value read_number() {
        const std::size_t start = place_;
        bool is_integer = true;
        take('-');
        if (!take('0') && !take_digits()) fail("no value");
        if (take('.')) {
            is_integer = false;
            if (!take_digits()) fail("no digit");
        }
        if (take('e') || take('E')) {
            is_integer = false;
            if (!take('+')) take('-');
            if (!take_digits()) fail("no digit");
        }
        const std::string number(text_.substr(start, place_ - start));
        std::int64_t integer = 0;
        const char* end = number.data() + number.size();
        if (is_integer && std::from_chars(number.data(), end, integer).ec == std::errc()) return integer;
        return std::strtod(number.c_str(), nullptr);
    }

    std::uint32_t read_hex() {
        std::uint32_t unit = 0;
        for (int i = 0; i < 4; i++, place_++) {
            static constexpr std::string_view digits = "0123456789abcdefABCDEF";
            const std::size_t digit = peek() < 0 ? digits.npos : digits.find(static_cast<char>(peek()));
            if (digit == digits.npos) fail("no hexadecimal digit");
            unit = unit << 4 | static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
        }
        return unit;
    }

    std::uint32_t read_escaped() {
        const std::uint32_t unit = read_hex();
        if (unit < 0xd800 || unit > 0xdfff) return unit;
        if (unit > 0xdbff || !take('\\') || !take('u')) fail("a lone surrogate");
        const std::uint32_t low = read_hex();
        if (low < 0xdc00 || low > 0xdfff) fail("a lone surrogate");
        return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }

    std::string read_string() {
        std::string text;
        place_++;
        for (;;) {
            const int c = peek();
            if (c < 0x20) fail("no end of the string, or a control character in it");
            if (c >= 0x80) {
                const std::size_t start = place_;
                if (next_utf8(text_, place_) < 0) fail("no UTF-8");
                text.append(text_.substr(start, place_ - start));
                continue;
            }
            place_++;
            if (c == '"') return text;
            if (c != '\\') {
                text += static_cast<char>(c);
                continue;
            }
            const int escape = peek();
            place_++;
            switch (escape) {
                case '"': case '\\': case '/': text += static_cast<char>(escape); break;
                case 'b': text += '\b'; break;
                case 'f': text += '\f'; break;
                case 'n': text += '\n'; break;
                case 'r': text += '\r'; break;
                case 't': text += '\t'; break;
                case 'u': append_utf8(text, read_escaped()); break;
                default: fail("no such escape");
            }
        }
    }

    std::string_view text_;
    std::size_t place_ = 0;
};

// A whole text as a value; throws Error for what is no JSON, or is more than 100 levels deep.
inline Value read(std::string_view text) { return Reader(text).read(); }

// A text as a string of ASCII; what is no UTF-8 becomes U+FFFD.
inline void write_string(std::string& out, std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    auto unit = [&](std::uint32_t value) {
        out += "\\u";
        for (int shift = 12; shift >= 0; shift -= 4) out += digits[value >> shift & 15];
    };
    out += '"';
    for (std::size_t place = 0; place < text.size();) {
        const std::int64_t read = next_utf8(text, place);
        const std::uint32_t point = read < 0 ? 0xfffd : static_cast<std::uint32_t>(read);
        if (point == '"' || point == '\\') {
            out += '\\';
            out += static_cast<char>(point);
        } else if (point >= 0x20 && point < 0x7f) {
            out += static_cast<char>(point);
        } else if (point < 0x10000) {
            unit(point);
        } else {
            unit(0xd800 + ((point - 0x10000) >> 10));
            unit(0xdc00 + ((point - 0x10000) & 0x3ff));
        }
    }
    out += '"';
}

inline void Value::write(std::string& out) const {
    if (const auto* items = std::get_if<Array>(&held_)) {
        out += '[';
        for (const Value& item : *items) {
            if (&item != items->data()) out += ',';
            item.write(out);
        }
        out += ']';
    } else if (const auto* fields = std::get_if<Object>(&held_)) {
        out += '{';
        for (auto field = fields->begin(); field != fields->end(); ++field) {
            if (field != fields->begin()) out += ',';
            write_string(out, field->first);
            out += ':';
            field->second.write(out);
        }
        out += '}';
    } else if (const auto* text = std::get_if<std::string>(&held_)) {
        write_string(out, *text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&held_)) {
        out += std::to_string(*integer);
    } else if (const auto* number = std::get_if<double>(&held_)) {
        char shortest[32];
        out.append(shortest, std::to_chars(shortest, shortest + sizeof shortest, *number).ptr);
    } else if (const auto* truth = std::get_if<bool>(&held_)) {
        out += *truth ? "true" : "false";
    } else {
        out += "null";
    }
}

}  // namespace json
