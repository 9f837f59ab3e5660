// A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
//
// Three functions are to be filled in: load, encode and decode. They may throw what the library throws. As they stand,
// they are a tokenizer of bytes. What is logged goes to standard error.

import java.util.Base64
import kotlin.system.exitProcess

val ABOUT = mapOf(
    "name" to "bytes", // the name of your library; add a "version" if you publish releases
    "language" to "kotlin",
    "runtime" to "kotlin ${KotlinVersion.CURRENT}, java ${System.getProperty("java.version")}"
)

// Such as "encode" to mapOf("add_special_tokens" to "never")
val CAPABILITIES = mapOf("encode" to mapOf<String, Any>(), "decode" to mapOf<String, Any>())

/** Here: what the library has. */
class Tokenizer

/**
 * The tokenizer of a model: its path, format and sha256, its encoding where that is known. options: of subject.toml.
 * What is thrown here is the answer that the library does not read this model.
 */
@Suppress("UNUSED_PARAMETER")
fun load(model: Map<*, *>, options: Map<*, *>): Tokenizer =
    Tokenizer() // here: the library reads model["path"] as String

/** The ids of a text. */
@Suppress("UNUSED_PARAMETER")
fun encode(tokenizer: Tokenizer, text: String, addSpecialTokens: Boolean): List<Long> =
    text.toByteArray().map { it.toLong() and 0xff }

/** The text of ids: a String, or its bytes as a ByteArray. */
@Suppress("UNUSED_PARAMETER")
fun decode(tokenizer: Tokenizer, ids: List<Long>, skipSpecialTokens: Boolean): Any =
    ByteArray(ids.size) { i ->
        require(ids[i] in 0..255) { "no token has the id ${ids[i]}" }
        ids[i].toByte()
    }

// From here on nothing is to be changed.

typealias Fields = Map<String, Any?>

var current: Tokenizer? = null

/** The fields of the answer to a message; what is thrown is a mistake in the message, or here. */
fun answer(message: Map<*, *>): Fields {
    val op = field<String>(message, "op")
    return when (op) {
        "start", "load" -> start(message)
        "encode" -> {
            val special = field<Boolean>(message, "add_special_tokens")
            val texts = field<List<*>>(message, "items").map { field<String>(it, "text") }
            results(texts) { tokenizer, text -> mapOf("ids" to encode(tokenizer, text, special)) }
        }
        "decode" -> {
            val skips = field<Boolean>(message, "skip_special_tokens")
            val lists = field<List<*>>(message, "items").map { item -> field<List<*>>(item, "ids").map(::id) }
            results(lists) { tokenizer, ids -> decoded(decode(tokenizer, ids, skips)) }
        }
        else -> throw IllegalArgumentException("unknown op '$op'")
    }
}

fun start(message: Map<*, *>): Fields {
    val model = field<Map<*, *>>(message, "model")
    val options = if ("options" in message) field<Map<*, *>>(message, "options") else emptyMap<String, Any>()
    current = null
    try {
        current = load(model, options)
    } catch (error: Exception) {
        return mapOf("unavailable" to mapOf("message" to error.toString()))
    }
    return mapOf("started" to mapOf("protocol" to 1, "subject" to ABOUT, "capabilities" to CAPABILITIES))
}

/** One result for each input; what the library throws is the answer to that one. */
fun <Input> results(inputs: List<Input>, ask: (Tokenizer, Input) -> Fields): Fields {
    val tokenizer = requireNotNull(current) { "no model is loaded" }
    return mapOf("results" to inputs.map { input ->
        try {
            ask(tokenizer, input)
        } catch (error: Exception) {
            mapOf("refused" to mapOf("message" to told(error), "type" to error.javaClass.name))
        } catch (error: Error) { // such as a StackOverflowError
            mapOf("crashed" to mapOf("message" to told(error), "type" to error.javaClass.name))
        }
    })
}

inline fun <reified Kind> field(holder: Any?, name: String): Kind {
    val value = (holder as? Map<*, *>)?.get(name)
    require(value is Kind) { "no field '$name', or of another kind" }
    return value
}

fun id(value: Any?): Long = value as? Long ?: throw IllegalArgumentException("an id that is no integer")

fun decoded(text: Any): Fields =
    if (text !is ByteArray) mapOf("text" to text as String)
    else mapOf("base64" to Base64.getEncoder().encodeToString(text))

fun told(error: Throwable): String = error.message ?: error.toString()

/** The message of a line, or null where it has no id: such a line is passed over. */
fun read(line: String): Map<*, *>? =
    try {
        val message = Json.read(line)
        field<Long>(message, "id")
        message as Map<*, *>
    } catch (error: IllegalArgumentException) {
        System.err.println("passed over a line: ${error.message}")
        null
    }

fun main() {
    val answers = System.out
    System.setOut(System.err) // what the library prints is no answer
    val lines = System.`in`.bufferedReader()
    while (true) {
        val line = lines.readLine() ?: break
        val message = read(line) ?: continue
        if (message["op"] == "stop") break
        val given = try {
            answer(message)
        } catch (error: Throwable) {
            mapOf("error" to mapOf("message" to told(error)))
        }
        answers.write((Json.write(mapOf("id" to message["id"]) + given) + "\n").toByteArray())
        answers.flush()
    }
    exitProcess(0) // though the library may have threads
}
