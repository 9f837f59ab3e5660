/* A strict reader and writer of JSON: what the messages of an adapter need, and no more.
 *
 * Strings are UTF-8 with a length, for they may hold NUL; what is written is ASCII. Integers of 64 bits stay exact.
 * What is read lives in an arena until this is freed. Without memory the program ends. */
#ifndef JSON_H
#define JSON_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_DEEPEST 100

typedef enum { JSON_NULL, JSON_BOOLEAN, JSON_INTEGER, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json {
    json_kind kind;
    bool boolean;
    int64_t integer;
    double number;
    const char *text; /* of a string; ended by a NUL that its length does not count */
    size_t length;
    size_t count; /* of an array or an object */
    struct json *first;
    struct json *next; /* in the array or object that it is in */
    const char *key;
} json;

typedef struct json_arena {
    struct json_block *blocks;
    size_t used, size;
} json_arena;

typedef struct json_block {
    struct json_block *before;
} json_block;

/* Bytes that grow. */
typedef struct json_out {
    char *data;
    size_t length, capacity;
} json_out;

typedef struct json_reader {
    json_arena *arena;
    const char *text;
    size_t length, place;
    const char *problem;
} json_reader;

static void *json_memory(void *memory) {
    if (!memory) {
        fputs("there is no more memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* ---- Reading ---- */

static void *json_allocate(json_arena *arena, size_t size) {
    const size_t header = 16;
    size = (size + 15) / 16 * 16;
    if (!arena->blocks || arena->size - arena->used < size) {
        const size_t whole = size > 65536 - header ? size + header : 65536;
        json_block *block = json_memory(malloc(whole));
        block->before = arena->blocks;
        arena->blocks = block;
        arena->size = whole;
        arena->used = header;
    }
    void *made = (char *)arena->blocks + arena->used;
    arena->used += size;
    return made;
}

static void json_free(json_arena *arena) {
    while (arena->blocks) {
        json_block *before = arena->blocks->before;
        free(arena->blocks);
        arena->blocks = before;
    }
    arena->used = arena->size = 0;
}

/* The code point at a place of a text, which moves behind it; -1 for a byte that begins no UTF-8, moved by that one. */
static int32_t json_next_utf8(const char *text, size_t length, size_t *place) {
    const unsigned char *bytes = (const unsigned char *)text + *place;
    const size_t left = length - *place;
    const unsigned first = bytes[0];
    const size_t wanted = first < 0x80 ? 1 : first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    int32_t point = wanted < 2 ? (int32_t)first : (int32_t)(first & (0xffu >> (wanted + 1)));
    bool is_right = wanted > 0 && wanted <= left;
    for (size_t i = 1; is_right && i < wanted; i++) {
        is_right = (bytes[i] & 0xc0) == 0x80;
        point = point * 64 + (bytes[i] & 0x3f);
    }
    const bool is_short = (wanted == 3 && point < 0x800) || (wanted == 4 && point < 0x10000);
    if (!is_right || is_short || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
        *place += 1;
        return -1;
    }
    *place += wanted;
    return point;
}

/* Write a code point that is no surrogate as UTF-8, and give the number of its bytes. */
static size_t json_put_utf8(char *out, uint32_t point) {
    const size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; point >>= 6) out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(leads[length] | point);
    return length;
}

static bool json_fail(json_reader *reader, const char *problem) {
    if (!reader->problem) reader->problem = problem;
    return false;
}

static int json_peek(const json_reader *reader) {
    return reader->place < reader->length ? (unsigned char)reader->text[reader->place] : -1;
}

static bool json_take(json_reader *reader, char wanted) {
    if (json_peek(reader) != wanted) return false;
    reader->place++;
    return true;
}

static void json_skip_space(json_reader *reader) {
    int c;
    while ((c = json_peek(reader)) == ' ' || c == '\t' || c == '\n' || c == '\r') reader->place++;
}

static bool json_read_hex(json_reader *reader, uint32_t *unit) {
    *unit = 0;
    for (int i = 0; i < 4; i++, reader->place++) {
        const char *digits = "0123456789abcdefABCDEF";
        const int c = json_peek(reader);
        const char *found = c > 0 ? strchr(digits, c) : NULL;
        const int digit = !found ? -1 : found - digits < 16 ? (int)(found - digits) : (int)(found - digits) - 6;
        if (digit < 0) return json_fail(reader, "no hexadecimal digit");
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

static bool json_read_escaped(json_reader *reader, uint32_t *point) {
    uint32_t low = 0;
    if (!json_read_hex(reader, point)) return false;
    if (*point < 0xd800 || *point > 0xdfff) return true;
    if (*point > 0xdbff || !json_take(reader, '\\') || !json_take(reader, 'u'))
        return json_fail(reader, "a lone surrogate");
    if (!json_read_hex(reader, &low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return json_fail(reader, "a lone surrogate");
    *point = 0x10000 + ((*point - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static bool json_read_string(json_reader *reader, const char **text, size_t *length) {
    if (!json_take(reader, '"')) return json_fail(reader, "no string");
    const char *end = reader->text + reader->place;
    while (end < reader->text + reader->length && *end != '"') end += *end == '\\' ? 2 : 1;
    /* No escape is shorter than what it stands for. */
    char *out = json_allocate(reader->arena, (size_t)(end - (reader->text + reader->place)) + 1);
    size_t used = 0;
    for (;;) {
        const int c = json_peek(reader);
        if (c < 0x20) return json_fail(reader, "no end of a string, or a control character in it");
        if (c >= 0x80) {
            const size_t start = reader->place;
            if (json_next_utf8(reader->text, reader->length, &reader->place) < 0) return json_fail(reader, "no UTF-8");
            memcpy(out + used, reader->text + start, reader->place - start);
            used += reader->place - start;
            continue;
        }
        reader->place++;
        if (c == '"') break;
        if (c != '\\') {
            out[used++] = (char)c;
            continue;
        }
        const int escape = json_peek(reader);
        uint32_t point = 0;
        reader->place++;
        switch (escape) {
            case '"': case '\\': case '/': point = (uint32_t)escape; break;
            case 'b': point = '\b'; break;
            case 'f': point = '\f'; break;
            case 'n': point = '\n'; break;
            case 'r': point = '\r'; break;
            case 't': point = '\t'; break;
            case 'u':
                if (!json_read_escaped(reader, &point)) return false;
                break;
            default: return json_fail(reader, "no such escape");
        }
        used += json_put_utf8(out + used, point);
    }
    out[used] = '\0';
    *text = out;
    *length = used;
    return true;
}

static bool json_take_digits(json_reader *reader) {
    const size_t start = reader->place;
    while (json_peek(reader) >= '0' && json_peek(reader) <= '9') reader->place++;
    return reader->place > start;
}

static bool json_read_number(json_reader *reader, json *value) {
    const size_t start = reader->place;
    bool is_integer = true;
    json_take(reader, '-');
    if (!json_take(reader, '0') && !json_take_digits(reader)) return json_fail(reader, "no value");
    if (json_take(reader, '.')) {
        is_integer = false;
        if (!json_take_digits(reader)) return json_fail(reader, "no digit");
    }
    if (json_take(reader, 'e') || json_take(reader, 'E')) {
        is_integer = false;
        if (!json_take(reader, '+')) json_take(reader, '-');
        if (!json_take_digits(reader)) return json_fail(reader, "no digit");
    }
    const size_t length = reader->place - start;
    char *number = json_allocate(reader->arena, length + 1);
    memcpy(number, reader->text + start, length);
    number[length] = '\0';
    errno = 0;
    value->integer = is_integer ? strtoll(number, NULL, 10) : 0;
    value->kind = is_integer && !errno ? JSON_INTEGER : JSON_NUMBER;
    value->number = strtod(number, NULL);
    return true;
}

static bool json_read_value(json_reader *reader, json *value, int depth);

/* What is between the brackets of an array or an object. */
static bool json_read_items(json_reader *reader, json *value, char end, int depth) {
    struct json **last = &value->first;
    reader->place++;
    json_skip_space(reader);
    if (json_take(reader, end)) return true;
    do {
        json *item = json_allocate(reader->arena, sizeof *item);
        size_t length;
        memset(item, 0, sizeof *item);
        if (end == '}') {
            json_skip_space(reader);
            if (!json_read_string(reader, &item->key, &length)) return false;
            json_skip_space(reader);
            if (!json_take(reader, ':')) return json_fail(reader, "no ':'");
        }
        if (!json_read_value(reader, item, depth + 1)) return false;
        *last = item;
        last = &item->next;
        value->count++;
        json_skip_space(reader);
    } while (json_take(reader, ','));
    return json_take(reader, end) || json_fail(reader, "no end of an array or an object");
}

static bool json_read_word(json_reader *reader, const char *word) {
    const size_t length = strlen(word);
    if (reader->length - reader->place < length || memcmp(reader->text + reader->place, word, length) != 0)
        return json_fail(reader, "no value");
    reader->place += length;
    return true;
}

static bool json_read_value(json_reader *reader, json *value, int depth) {
    if (depth > JSON_DEEPEST) return json_fail(reader, "too many levels");
    json_skip_space(reader);
    switch (json_peek(reader)) {
        case '{': value->kind = JSON_OBJECT; return json_read_items(reader, value, '}', depth);
        case '[': value->kind = JSON_ARRAY; return json_read_items(reader, value, ']', depth);
        case '"': value->kind = JSON_STRING; return json_read_string(reader, &value->text, &value->length);
        case 't': value->kind = JSON_BOOLEAN; value->boolean = true; return json_read_word(reader, "true");
        case 'f': value->kind = JSON_BOOLEAN; return json_read_word(reader, "false");
        case 'n': return json_read_word(reader, "null");
        default: return json_read_number(reader, value);
    }
}

/* A whole text as a value, or NULL and the problem: what is no JSON, or is more than 100 levels deep. */
static const json *json_read(json_arena *arena, const char *text, size_t length, const char **problem) {
    json_reader reader = {arena, text, length, 0, NULL};
    json *value = json_allocate(arena, sizeof *value);
    memset(value, 0, sizeof *value);
    if (json_read_value(&reader, value, 0)) {
        json_skip_space(&reader);
        if (reader.place == length) return value;
        json_fail(&reader, "more than one value");
    }
    *problem = reader.problem;
    return NULL;
}

/* The value of a key of an object that is of this kind, or NULL; of several, the last. */
static const json *json_get(const json *object, const char *key, json_kind kind) {
    const json *found = NULL;
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (const json *field = object->first; field; field = field->next)
        if (strcmp(field->key, key) == 0) found = field;
    return found && found->kind == kind ? found : NULL;
}

/* ---- Writing ---- */

static void json_append(json_out *out, const char *data, size_t length) {
    if (out->capacity - out->length < length) {
        while (out->capacity - out->length < length) out->capacity = out->capacity ? out->capacity * 2 : 4096;
        out->data = json_memory(realloc(out->data, out->capacity));
    }
    if (length) memcpy(out->data + out->length, data, length);
    out->length += length;
}

/* JSON as it stands. */
static void json_put(json_out *out, const char *written) { json_append(out, written, strlen(written)); }

static void json_put_integer(json_out *out, int64_t integer) {
    char digits[24];
    size_t start = sizeof digits;
    uint64_t left = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    do digits[--start] = (char)('0' + left % 10);
    while (left /= 10);
    if (integer < 0) digits[--start] = '-';
    json_append(out, digits + start, sizeof digits - start);
}

/* A text as a string of ASCII; what is no UTF-8 becomes U+FFFD. */
static void json_put_string(json_out *out, const char *text, size_t length) {
    json_append(out, "\"", 1);
    for (size_t place = 0; place < length;) {
        char escaped[16];
        const int32_t read = json_next_utf8(text, length, &place);
        const unsigned point = read < 0 ? 0xfffd : (unsigned)read;
        int written = 1;
        escaped[0] = (char)point;
        if (point == '"' || point == '\\') {
            written = snprintf(escaped, sizeof escaped, "\\%c", (int)point);
        } else if (point >= 0x10000) {
            const unsigned high = 0xd800 + ((point - 0x10000) >> 10), low = 0xdc00 + ((point - 0x10000) & 0x3ff);
            written = snprintf(escaped, sizeof escaped, "\\u%04x\\u%04x", high, low);
        } else if (point < 0x20 || point > 0x7e) {
            written = snprintf(escaped, sizeof escaped, "\\u%04x", point);
        }
        json_append(out, escaped, (size_t)written);
    }
    json_append(out, "\"", 1);
}

#endif
