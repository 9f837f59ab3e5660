/**
 * A strict reader and writer of JSON: what the messages of an adapter need, and no more.
 *
 * A value is a Map, a List, a String, a Long, a Double, a Boolean or null. What is written is ASCII.
 */
object Json {
    /** A whole text as a value; IllegalArgumentException for what is no JSON, or more than 100 levels deep. */
    fun read(text: String): Any? = JsonReader(text).read()

    fun write(value: Any?): String = StringBuilder().also { write(value, it) }.toString()

    private fun write(value: Any?, out: StringBuilder) {
        when (value) {
            is String -> writeString(value, out)
            is Map<*, *> -> {
                out.append('{')
                value.entries.forEachIndexed { i, (key, held) ->
                    if (i > 0) out.append(',')
                    writeString(key as String, out)
                    out.append(':')
                    write(held, out)
                }
                out.append('}')
            }
            is List<*> -> {
                out.append('[')
                value.forEachIndexed { i, held ->
                    if (i > 0) out.append(',')
                    write(held, out)
                }
                out.append(']')
            }
            else -> out.append(value)
        }
    }

    private fun writeString(text: String, out: StringBuilder) {
        out.append('"')
        for (unit in text) {
            when (unit) {
                '"', '\\' -> out.append('\\').append(unit)
                in ' '..'~' -> out.append(unit)
                else -> {
                    out.append("\\u")
                    val number = unit - '\u0000'
                    for (shift in 12 downTo 0 step 4) out.append(Character.forDigit(number shr shift and 15, 16))
                }
            }
        }
        out.append('"')
    }
}

private const val DEEPEST = 100

private class JsonReader(private val text: String) {
    private var place = 0

    fun read(): Any? {
        val value = readValue(0)
        skipSpace()
        if (place != text.length) fail("more than one value")
        return value
    }

    private fun fail(what: String): Nothing = throw IllegalArgumentException("$what at character $place")

    private fun peek(): Char? = if (place < text.length) text[place] else null

    private fun take(wanted: Char): Boolean {
        if (peek() != wanted) return false
        place++
        return true
    }

    private fun skipSpace() {
        while (place < text.length && text[place] in " \t\n\r") place++
    }

    private fun readValue(depth: Int): Any? {
        if (depth > DEEPEST) fail("too many levels")
        skipSpace()
        return when (peek()) {
            '{' -> readObject(depth)
            '[' -> readArray(depth)
            '"' -> readString()
            't' -> readWord("true", true)
            'f' -> readWord("false", false)
            'n' -> readWord("null", null)
            else -> readNumber()
        }
    }

    private fun readWord(word: String, value: Any?): Any? {
        if (!text.startsWith(word, place)) fail("no value")
        place += word.length
        return value
    }

    private fun readObject(depth: Int): Map<String, Any?> {
        val fields = LinkedHashMap<String, Any?>()
        place++
        skipSpace()
        if (take('}')) return fields
        do {
            skipSpace()
            if (peek() != '"') fail("no key")
            val key = readString()
            skipSpace()
            if (!take(':')) fail("no ':'")
            fields[key] = readValue(depth + 1)
            skipSpace()
        } while (take(','))
        if (!take('}')) fail("no end of the object")
        return fields
    }

    private fun readArray(depth: Int): List<Any?> {
        val items = ArrayList<Any?>()
        place++
        skipSpace()
        if (take(']')) return items
        do {
            items.add(readValue(depth + 1))
            skipSpace()
        } while (take(','))
        if (!take(']')) fail("no end of the array")
        return items
    }

    private fun takeDigits(): Boolean {
        val start = place
        while (place < text.length && text[place] in '0'..'9') place++
        return place > start
    }

    private fun readNumber(): Any {
        val start = place
        var isInteger = true
        take('-')
        if (!take('0') && !takeDigits()) fail("no value")
        if (take('.')) {
            isInteger = false
            if (!takeDigits()) fail("no digit")
        }
        if (take('e') || take('E')) {
            isInteger = false
            if (!take('+')) take('-')
            if (!takeDigits()) fail("no digit")
        }
        val number = text.substring(start, place)
        return (if (isInteger) number.toLongOrNull() else null) ?: number.toDouble()
    }

    private fun readUnit(): Char {
        var unit = 0
        repeat(4) {
            val c = peek()
            val digit = if (c != null && c < '\u0080') Character.digit(c, 16) else -1
            if (digit < 0) fail("no hexadecimal digit")
            unit = unit shl 4 or digit
            place++
        }
        return '\u0000' + unit
    }

    private fun readEscape(out: StringBuilder) {
        val escape = peek() ?: fail("no end of the string")
        val which = "\"\\/bfnrt".indexOf(escape)
        place++
        if (which >= 0) {
            out.append("\"\\/\b\u000c\n\r\t"[which])
        } else if (escape == 'u') {
            val unit = readUnit()
            out.append(unit)
            if (!unit.isSurrogate()) return
            if (unit.isLowSurrogate() || !take('\\') || !take('u')) fail("a lone surrogate")
            val low = readUnit()
            if (!low.isLowSurrogate()) fail("a lone surrogate")
            out.append(low)
        } else {
            fail("no such escape")
        }
    }

    private fun readString(): String {
        val out = StringBuilder()
        place++
        while (true) {
            val start = place
            while (place < text.length && text[place] >= ' ' && text[place] != '"' && text[place] != '\\') place++
            out.append(text, start, place)
            if (take('"')) return out.toString()
            if (!take('\\')) fail("no end of the string, or a control character in it")
            readEscape(out)
        }
    }
}
