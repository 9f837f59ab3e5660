// Vectors for Kotlin:  kotlinc Runner.kt Json.kt -include-runtime -d runner.jar
//                      gzip -dc core.json.gz | java -jar runner.jar tokenizer.json
// Json.kt is beside it where `conformance subject init --language kotlin` has written an adapter. Put your library into
// Tokenizer; it throws where it refuses. Streams and settings are left out.
import kotlin.system.exitProcess

class Tokenizer(path: String) { // a toy, whose ids are the bytes of UTF-8
    fun encode(text: String, addSpecialTokens: Boolean): List<Long> = text.toByteArray().map { it.toLong() and 0xff }
    fun decode(ids: List<Long>, skipSpecialTokens: Boolean): String {
        require(ids.all { it < 256 }) { "no id" }
        return String(ByteArray(ids.size) { ids[it].toByte() })
    }
}

typealias Fields = Map<String, Any?>

@Suppress("UNCHECKED_CAST")
fun isRight(tokenizer: Tokenizer, group: Fields, test: Fields): Boolean {
    val special = group["addSpecialTokens"] as Boolean? ?: true
    return when (group["type"]) {
        "encode" -> tokenizer.encode(test["text"] as String, special) == test["ids"]
        "decode" -> tokenizer.decode(test["ids"] as List<Long>, group["skipSpecialTokens"] as Boolean) == test["text"]
        else -> (test["texts"] as List<String>).map { tokenizer.encode(it, special) } == test["ids"]
    }
}

@Suppress("UNCHECKED_CAST")
fun main(arguments: Array<String>) {
    val vectors = Json.read(System.`in`.readBytes().decodeToString()) as Fields
    val tokenizer = Tokenizer(arguments[0])
    var (passed, failed, acceptable, skipped) = listOf(0, 0, 0, 0)
    for (group in vectors["testGroups"] as List<Fields>) for (test in group["tests"] as List<Fields>) {
        val type = group["type"] as String
        val result = test["result"]
        if (type !in listOf("encode", "decode", "batch") || (type == "encode" && test["text"] == null)) { skipped++; continue }
        val right = try { isRight(tokenizer, group, test) && result != "refused" } catch (_: Exception) { result == "refused" }
        if (right) passed++ else if (result == "acceptable") acceptable++ else {
            failed++
            println("FAIL ${test["tcId"]} $type ${(test["flags"] as List<String>).joinToString("; ")}")
        }
    }
    println("$passed passed, $failed failed, $acceptable acceptable, $skipped skipped")
    exitProcess(if (failed > 0 || passed == 0) 1 else 0)
}
