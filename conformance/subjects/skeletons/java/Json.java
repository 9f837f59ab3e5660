import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict reader and writer of JSON: what the messages of an adapter need, and no more.
 *
 * <p>A value is a Map, a List, a String, a Long, a Double, a Boolean or null. What is written is ASCII.
 */
final class Json {
    private static final int DEEPEST = 100;
    private final String text;
    private int place;

    private Json(String text) {
        this.text = text;
    }

    /** A whole text as a value; IllegalArgumentException for what is no JSON, or more than 100 levels deep. */
    static Object read(String text) {
        Json reader = new Json(text);
        Object value = reader.readValue(0);
        reader.skipSpace();
        if (reader.place != text.length()) throw reader.problem("more than one value");
        return value;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private IllegalArgumentException problem(String what) {
        return new IllegalArgumentException(what + " at character " + place);
    }

    private int peek() {
        return place < text.length() ? text.charAt(place) : -1;
    }

    private boolean take(char wanted) {
        if (peek() != wanted) return false;
        place++;
        return true;
    }

    private void skipSpace() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') place++;
    }

    private Object readValue(int depth) {
        if (depth > DEEPEST) throw problem("too many levels");
        skipSpace();
        switch (peek()) {
            case '{':
                return readObject(depth);
            case '[':
                return readArray(depth);
            case '"':
                return readString();
            case 't':
                return readWord("true", true);
            case 'f':
                return readWord("false", false);
            case 'n':
                return readWord("null", null);
            default:
                return readNumber();
        }
    }

    private Object readWord(String word, Object value) {
        if (!text.startsWith(word, place)) throw problem("no value");
        place += word.length();
        return value;
    }

    private Map<String, Object> readObject(int depth) {
        Map<String, Object> fields = new LinkedHashMap<>();
        place++;
        skipSpace();
        if (take('}')) return fields;
        do {
            skipSpace();
            if (peek() != '"') throw problem("no key");
            String key = readString();
            skipSpace();
            if (!take(':')) throw problem("no ':'");
            fields.put(key, readValue(depth + 1));
            skipSpace();
        } while (take(','));
        if (!take('}')) throw problem("no end of the object");
        return fields;
    }

    private List<Object> readArray(int depth) {
        List<Object> items = new ArrayList<>();
        place++;
        skipSpace();
        if (take(']')) return items;
        do {
            items.add(readValue(depth + 1));
            skipSpace();
        } while (take(','));
        if (!take(']')) throw problem("no end of the array");
        return items;
    }

    private boolean takeDigits() {
        int start = place;
        while (peek() >= '0' && peek() <= '9') place++;
        return place > start;
    }

    private Object readNumber() {
        int start = place;
        boolean isInteger = true;
        take('-');
        if (!take('0') && !takeDigits()) throw problem("no value");
        if (take('.')) {
            isInteger = false;
            if (!takeDigits()) throw problem("no digit");
        }
        if (take('e') || take('E')) {
            isInteger = false;
            if (!take('+')) take('-');
            if (!takeDigits()) throw problem("no digit");
        }
        String number = text.substring(start, place);
        if (isInteger) {
            try {
                return Long.parseLong(number);
            } catch (NumberFormatException tooLong) {
                return Double.parseDouble(number);
            }
        }
        return Double.parseDouble(number);
    }

    private char readUnit() {
        int unit = 0;
        for (int i = 0; i < 4; i++, place++) {
            int digit = peek() < 0x80 ? Character.digit(peek(), 16) : -1;
            if (digit < 0) throw problem("no hexadecimal digit");
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private void readEscape(StringBuilder out) {
        int escape = peek();
        int which = "\"\\/bfnrt".indexOf(escape);
        place++;
        if (which >= 0) {
            out.append("\"\\/\b\f\n\r\t".charAt(which));
        } else if (escape == 'u') {
            char unit = readUnit();
            out.append(unit);
            if (!Character.isSurrogate(unit)) return;
            if (Character.isLowSurrogate(unit) || !take('\\') || !take('u')) throw problem("a lone surrogate");
            char low = readUnit();
            if (!Character.isLowSurrogate(low)) throw problem("a lone surrogate");
            out.append(low);
        } else {
            throw problem("no such escape");
        }
    }

    private String readString() {
        StringBuilder out = new StringBuilder();
        place++;
        for (int start = place; ; start = place) {
            while (peek() >= 0x20 && peek() != '"' && peek() != '\\') place++;
            out.append(text, start, place);
            if (take('"')) return out.toString();
            if (!take('\\')) throw problem("no end of the string, or a control character in it");
            readEscape(out);
        }
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String) {
            writeString((String) value, out);
        } else if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<?, ?> field : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                writeString((String) field.getKey(), out);
                out.append(':');
                write(field.getValue(), out);
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String before = "[";
            for (Object item : (List<?>) value) {
                out.append(before);
                write(item, out);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else {
            out.append(value);
        }
    }

    private static void writeString(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            if (unit == '"' || unit == '\\') {
                out.append('\\').append(unit);
            } else if (unit >= 0x20 && unit < 0x7f) {
                out.append(unit);
            } else {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) out.append(Character.forDigit(unit >> shift & 15, 16));
            }
        }
        out.append('"');
    }
}
