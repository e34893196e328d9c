import java.io.File
import java.time.Duration
import java.time.Instant
import java.util.TreeMap

// Asks clients/Deskgate.kt what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line.

private class Request(private val headers: Map<String, String>) {
    fun header(name: String): String? = headers[name]
}

private fun bytes(field: String) = field.chunked(2).map { it.toInt(16).toByte() }.toByteArray()

private fun text(field: String) = String(bytes(field))

private fun pairs(fields: List<String>) = fields.map { it.split(":") }.map { (name, value) -> text(name) to text(value) }.toMap()

private fun request(fields: List<String>) = Request(pairs(fields).toMap(TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER)))

private fun example(request: Request, body: ByteArray): String {
    val secret = File("secrets/app-1.key").readText()
    val securityKey = Deskgate.mintSecurityKey("my-app", "user-1", keyId = 1, secret = secret) // for the signed-in user
    Deskgate.verifySecurityKey("my-app", "user-1", securityKey, mapOf(1L to secret)) // in a test of yours
    val signingSecret = File("secrets/backend.key").readText()
    Deskgate.verifyEvent(request::header, body, listOf(signingSecret)) // throws DeskgateException: answer 401
    return securityKey
}

private fun ofSendbird(request: Request, body: ByteArray): String {
    val secret = File("secrets/sendbird-1.key").readText()
    val signingSecret = File("secrets/backend.key").readText()
    val securityKey = Deskgate.mintSecurityKey("sendbird-app", "user-1", keyId = 1, secret = secret) // for POST /sendbird/session-token
    Deskgate.verifyEvent(request::header, body, listOf(signingSecret)) // throws DeskgateException: answer 401
    val json = String(body) // for kotlinx.serialization or Jackson
    return "$securityKey ${json.contains("\"ticket.rated\"")}"
}

private fun mint(fields: List<String>): String {
    val (app, user, keyId, secret, lifetime) = fields
    val (now, salt) = fields.drop(5)
    val life = Duration.ofSeconds(lifetime.toLong())
    if (now == "-") return Deskgate.mintSecurityKey(text(app), text(user), keyId.toLong(), text(secret), life)
    val time = Instant.ofEpochSecond(now.toLong())
    return Deskgate.mintSecurityKey(text(app), text(user), keyId.toLong(), text(secret), life, time, bytes(salt))
}

/** Kotlin's library has no JSON: the members are found in the text. */
private fun read(body: String): String {
    val found = Regex("\"type\":\"([^\"]*)\".*\"data\":\\{\"ticket_id\":([0-9]+)").find(body) ?: return "unread"
    return "${found.groupValues[1]} ${found.groupValues[2]}"
}

private fun answer(command: String, fields: List<String>): String = when (command) {
    "mint" -> mint(fields)
    "verify" -> {
        val (app, user, key, now) = fields
        val secrets = pairs(fields.drop(4)).mapKeys { it.key.toLong() }
        Deskgate.verifySecurityKey(text(app), text(user), text(key), secrets, Instant.ofEpochSecond(now.toLong()))
        "valid"
    }
    "event", "read" -> {
        val (now, body, secrets) = fields
        val texts = secrets.split(",").dropLast(1).map(::text)
        Deskgate.verifyEvent(request(fields.drop(3))::header, bytes(body), texts, Instant.ofEpochSecond(now.toLong()))
        if (command == "event") "genuine" else read(text(body))
    }
    "not-unicode" -> Deskgate.mintSecurityKey("app", "\ud800", 1, "A".repeat(43))
    "half-second" -> Deskgate.mintSecurityKey("app", "user", 1, "A".repeat(43), Duration.ofMillis(500))
    "number" -> "impossible"
    "sendbird" -> ofSendbird(request(fields.drop(1)), bytes(fields[0]))
    else -> example(request(fields.drop(1)), bytes(fields[0]))
}

fun main() {
    for (line in generateSequence(::readLine)) {
        val fields = line.split("\t")
        try {
            println(answer(fields[0], fields.drop(1)))
        } catch (error: DeskgateException) {
            println(error.reason)
        }
    }
}
