/* A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
 *
 * Three functions are to be filled in: load, encode and decode. They give NULL, or the message of an error. As they
 * stand, they are a tokenizer of bytes. What is logged goes to standard error. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "json.h"

/* The name of your library; add a "version" if you publish releases. */
static const char about[] = "{\"name\":\"bytes\",\"language\":\"c\"}";
/* Such as {"encode":{"add_special_tokens":"never"},...}. */
static const char capabilities[] = "{\"encode\":{},\"decode\":{}}";

typedef struct tokenizer {
    int unused; /* here: what the library has */
} tokenizer;

typedef struct ids {
    int64_t *data;
    size_t count, capacity;
} ids;

static char problem[256]; /* for the message of an error */

static void add_id(ids *list, int64_t id) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 256;
        list->data = json_memory(realloc(list->data, list->capacity * sizeof *list->data));
    }
    list->data[list->count++] = id;
}

/* The tokenizer of a model: its path, format and sha256, its encoding where that is known. options: of subject.toml.
 * An error is the answer that the library does not read this model. */
static const char *load(const json *model, const json *options, tokenizer **loaded) {
    (void)model, (void)options; /* here: the library reads json_get(model, "path", JSON_STRING)->text */
    *loaded = json_memory(calloc(1, sizeof **loaded));
    return NULL;
}

static void unload(tokenizer *loaded) { free(loaded); }

/* The ids of a text: UTF-8 with a length, for it may hold NUL. */
static const char *encode(tokenizer *loaded, const char *text, size_t length, bool add_special_tokens, ids *out) {
    (void)loaded, (void)add_special_tokens;
    for (size_t i = 0; i < length; i++) add_id(out, (unsigned char)text[i]);
    return NULL;
}

/* The text of ids, as the bytes that the library gives, UTF-8 or not. */
static const char *decode(tokenizer *loaded, const int64_t *list, size_t count, bool skip_special_tokens,
                          json_out *out) {
    (void)loaded, (void)skip_special_tokens;
    for (size_t i = 0; i < count; i++) {
        const char byte = (char)list[i];
        if (list[i] < 0 || list[i] > 255) {
            snprintf(problem, sizeof problem, "no token has the id %" PRId64, list[i]);
            return problem;
        }
        json_append(out, &byte, 1);
    }
    return NULL;
}

/* From here on nothing is to be changed. */

static tokenizer *current;

static void put_base64(json_out *out, const unsigned char *bytes, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        const unsigned second = i + 1 < length ? bytes[i + 1] : 0, third = i + 2 < length ? bytes[i + 2] : 0;
        const unsigned three = (unsigned)bytes[i] << 16 | second << 8 | third;
        const char four[] = {digits[three >> 18], digits[three >> 12 & 63],
                             i + 1 < length ? digits[three >> 6 & 63] : '=', i + 2 < length ? digits[three & 63] : '='};
        json_append(out, four, sizeof four);
    }
}

static void put_failure(json_out *out, const char *kind, const char *message) {
    json_put(out, "\"");
    json_put(out, kind);
    json_put(out, "\":{\"message\":");
    json_put_string(out, message, strlen(message));
    json_put(out, "}");
}

static void put_encoded(json_out *out, const char *text, size_t length, bool special) {
    static ids found;
    found.count = 0;
    const char *refusal = encode(current, text, length, special, &found);
    if (refusal) {
        put_failure(out, "refused", refusal);
        return;
    }
    json_put(out, "\"ids\":[");
    for (size_t i = 0; i < found.count; i++) {
        if (i) json_put(out, ",");
        json_put_integer(out, found.data[i]);
    }
    json_put(out, "]");
}

static void put_decoded(json_out *out, const json *given, bool skips) {
    static ids list;
    static json_out bytes;
    list.count = bytes.length = 0;
    for (const json *id = given->first; id; id = id->next) add_id(&list, id->integer);
    const char *refusal = decode(current, list.data, list.count, skips, &bytes);
    if (refusal) {
        put_failure(out, "refused", refusal);
        return;
    }
    json_put(out, "\"base64\":\"");
    put_base64(out, (const unsigned char *)bytes.data, bytes.length);
    json_put(out, "\"");
}

/* The fields of the answer to `start` and `load`; NULL, or what is wrong with the message. */
static const char *start(const json *message, json_out *out) {
    const json *model = json_get(message, "model", JSON_OBJECT);
    if (!json_get(model, "path", JSON_STRING)) return "a message without a model";
    if (current) unload(current);
    current = NULL;
    const char *reason = load(model, json_get(message, "options", JSON_OBJECT), &current);
    if (reason) {
        current = NULL;
        put_failure(out, "unavailable", reason);
        return NULL;
    }
    json_put(out, "\"started\":{\"protocol\":1,\"subject\":");
    json_put(out, about);
    json_put(out, ",\"capabilities\":");
    json_put(out, capabilities);
    json_put(out, "}");
    return NULL;
}

/* What the items of a message lack, NULL where they lack nothing. */
static const char *item_problem(const json *items, bool encodes) {
    for (const json *item = items->first; item; item = item->next) {
        if (encodes && !json_get(item, "text", JSON_STRING)) return "an item without a text";
        const json *list = encodes ? NULL : json_get(item, "ids", JSON_ARRAY);
        if (!encodes && !list) return "an item without ids";
        for (const json *id = list ? list->first : NULL; id; id = id->next)
            if (id->kind != JSON_INTEGER) return "an id that is no integer";
    }
    return NULL;
}

/* The fields of the answer to a message; NULL, or what is wrong with the message. */
static const char *answer(const json *message, const char *op, json_out *out) {
    if (strcmp(op, "start") == 0 || strcmp(op, "load") == 0) return start(message, out);
    const bool encodes = strcmp(op, "encode") == 0;
    if (!encodes && strcmp(op, "decode") != 0) {
        snprintf(problem, sizeof problem, "unknown op '%.100s'", op);
        return problem;
    }
    const json *items = json_get(message, "items", JSON_ARRAY);
    const json *special = json_get(message, encodes ? "add_special_tokens" : "skip_special_tokens", JSON_BOOLEAN);
    if (!items || !special) return "a message without items, or without what becomes of special tokens";
    if (!current) return "no model is loaded";
    const char *wrong = item_problem(items, encodes);
    if (wrong) return wrong;
    json_put(out, "\"results\":[");
    for (const json *item = items->first; item; item = item->next) {
        json_put(out, item == items->first ? "{" : ",{");
        if (encodes) {
            const json *text = json_get(item, "text", JSON_STRING);
            put_encoded(out, text->text, text->length, special->boolean);
        } else {
            put_decoded(out, json_get(item, "ids", JSON_ARRAY), special->boolean);
        }
        json_put(out, "}");
    }
    json_put(out, "]");
    return NULL;
}

/* Answer a line; whether it is to go on. */
static bool answer_line(const char *line, size_t length, json_arena *arena, json_out *out) {
    const char *broken = "it has no id";
    const json *message = json_read(arena, line, length, &broken);
    const json *id = json_get(message, "id", JSON_INTEGER), *op = json_get(message, "op", JSON_STRING);
    if (!id) {
        fprintf(stderr, "passed over a line: %s\n", broken);
        return true;
    }
    if (op && strcmp(op->text, "stop") == 0) return false;
    json_put(out, "{\"id\":");
    json_put_integer(out, id->integer);
    json_put(out, ",");
    const char *wrong = op ? answer(message, op->text, out) : "a message without an op";
    if (wrong) put_failure(out, "error", wrong);
    json_put(out, "}\n");
    return true;
}

int main(void) {
    FILE *answers = fdopen(dup(1), "w");
    if (!answers || dup2(2, 1) < 0) return 1; /* what the library prints is no answer */
    char *line = NULL;
    size_t capacity = 0;
    json_out out = {NULL, 0, 0};
    bool goes_on = true;
    for (ssize_t length; goes_on && (length = getline(&line, &capacity, stdin)) >= 0;) {
        json_arena arena = {NULL, 0, 0};
        out.length = 0;
        goes_on = answer_line(line, (size_t)length, &arena, &out);
        json_free(&arena);
        if (goes_on && out.length) fwrite(out.data, 1, out.length, answers);
        fflush(answers);
    }
    if (current) unload(current);
    free(line);
    free(out.data);
    return 0;
}
