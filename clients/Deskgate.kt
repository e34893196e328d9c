import java.nio.ByteBuffer
import java.nio.CharBuffer
import java.nio.charset.CharacterCodingException
import java.security.MessageDigest
import java.security.SecureRandom
import java.time.Duration
import java.time.Instant
import java.util.Base64
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec
import kotlin.math.abs

/** Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given. */
class DeskgateException(val reason: String, message: String) : RuntimeException("$reason: $message")

/**
 * Deskgate for a backend in Kotlin: mints and verifies security keys, and verifies signed events.
 *
 * Copy this file into a package of yours; it needs the JVM and no library. [DeskgateException.reason] is a word of the table in
 * clients/README.md.
 *
 *     val secret = File("secrets/app-1.key").readText()
 *     val securityKey = Deskgate.mintSecurityKey("my-app", "user-1", keyId = 1, secret = secret) // for the signed-in user
 *     Deskgate.verifySecurityKey("my-app", "user-1", securityKey, mapOf(1L to secret)) // in a test of yours
 *     val signingSecret = File("secrets/backend.key").readText()
 *     Deskgate.verifyEvent(request::header, body, listOf(signingSecret)) // throws DeskgateException: answer 401
 */
object Deskgate {
    /** How far the clocks of backend and service may differ, in seconds, as the service has it by default. */
    private const val CLOCK_SKEW = 60L
    private val random = SecureRandom()

    /**
     * Makes a security key of 89 characters.
     *
     * [secret] is what `deskgate secret new` prints, and [keyId] its number in the service's configuration. The [lifetime] is in
     * whole seconds; zero never ends. Give [now] and [salt] (16 bytes) only in tests: each key needs a random salt of its own.
     */
    fun mintSecurityKey(
        appId: String,
        userId: String,
        keyId: Long,
        secret: String,
        lifetime: Duration = Duration.ofDays(7),
        now: Instant = Instant.now(),
        salt: ByteArray = ByteArray(16).also(random::nextBytes)
    ): String {
        val app = text("appId", appId, 255)
        val user = text("userId", userId, 100)
        val issuedAt = now.epochSecond
        if (keyId !in 0 until (1L shl 32)) throw DeskgateException("bad_argument", "keyId is from 0 to 4294967295")
        if (lifetime.isNegative || lifetime.nano != 0 || issuedAt < 0 || lifetime.seconds >= (1L shl 40) - issuedAt) {
            throw DeskgateException("bad_argument", "lifetime is whole seconds, at least 0, and the key ends before 2^40")
        }
        if (salt.size != 16) throw DeskgateException("bad_argument", "salt is 16 bytes")
        val expiresAt = if (lifetime.seconds == 0L) 0 else issuedAt + lifetime.seconds
        val key = ByteBuffer.allocate(63).put(0).putInt(keyId.toInt())
        for (moment in listOf(issuedAt, expiresAt)) key.put((moment shr 32).toByte()).putInt(moment.toInt())
        key.put(salt)
        key.put(mac(keySecret(secret), key.array(), app, user))
        return "dgk1." + Base64.getUrlEncoder().encodeToString(key.array())
    }

    /**
     * Throws [DeskgateException] unless the key is genuine and in force; [secrets] has the app's secrets by key id.
     *
     * The service alone knows what is revoked or blocked, and how long a key may live.
     */
    fun verifySecurityKey(
        appId: String,
        userId: String,
        securityKey: String,
        secrets: Map<Long, String>,
        now: Instant = Instant.now()
    ) {
        val app = text("appId", appId, 255)
        val user = text("userId", userId, 100)
        text("securityKey", securityKey, 100)
        // The first byte of the head is 0: in base64url A and one of A to P.
        if (!Regex("dgk1\\.A[A-P][A-Za-z0-9_-]{82}").matches(securityKey)) {
            throw DeskgateException("not_a_security_key", "expected dgk1. and 84 base64url characters")
        }
        val data = Base64.getUrlDecoder().decode(securityKey.substring(5))
        val secret = secrets[number(data, 1..4)] ?: throw DeskgateException("unknown_key", "there is no secret of this key id")
        if (!MessageDigest.isEqual(mac(keySecret(secret), data, app, user), data.copyOfRange(31, 63))) {
            throw DeskgateException("wrong_mac", "made with another secret, or for another app or user")
        }
        if (number(data, 5..9) > now.epochSecond + CLOCK_SKEW) {
            throw DeskgateException("issued_in_future", "issued later than now; one of the clocks is wrong")
        }
        val expiresAt = number(data, 10..14)
        if (expiresAt != 0L && now.epochSecond > expiresAt + CLOCK_SKEW) throw DeskgateException("expired", "its life is over")
    }

    /**
     * Throws [DeskgateException] unless the service has signed this request (Standard Webhooks) at most [tolerance] from now.
     *
     * [headers] finds a header whatever its case, such as `request::header`; [body] is raw, as it was received; [secrets] (`whsec_…`) are
     * several while one is replaced. A retry has the same `webhook-id`, so remember the ids that you have processed.
     */
    fun verifyEvent(
        headers: (String) -> String?,
        body: ByteArray,
        secrets: List<String>,
        now: Instant = Instant.now(),
        tolerance: Duration = Duration.ofMinutes(5)
    ) {
        val (id, timestamp, signatures) = listOf("id", "timestamp", "signature").map { name ->
            headers("webhook-$name")?.takeIf(String::isNotEmpty)
                ?: throw DeskgateException("missing_header", "expected webhook-id, webhook-timestamp and webhook-signature")
        }
        if (secrets.isEmpty()) throw DeskgateException("bad_secret", "expected at least one secret")
        var genuine = false
        for (secret in secrets) {
            val code = hmac(signingSecret(secret), "$id.$timestamp.".toByteArray(), body)
            val expected = "v1," + Base64.getEncoder().encodeToString(code)
            for (signature in signatures.split(" ")) {
                if (MessageDigest.isEqual(expected.toByteArray(), signature.toByteArray())) genuine = true
            }
        }
        if (!genuine || '.' in id || !Regex("[0-9]{1,15}").matches(timestamp)) {
            throw DeskgateException("not_genuine", "made with another secret, or of another body")
        }
        if (abs(now.epochSecond - timestamp.toLong()) > tolerance.seconds) {
            throw DeskgateException("expired", "signed too long before or after now")
        }
    }

    /** The MAC of a key whose first 31 bytes are its head. */
    private fun mac(secret: ByteArray, key: ByteArray, app: ByteArray, user: ByteArray): ByteArray {
        fun length(identifier: ByteArray) = ByteBuffer.allocate(4).putInt(identifier.size).array()
        return hmac(secret, "deskgate/sk/v1".toByteArray(), key.copyOf(31), length(app), app, length(user), user)
    }

    private fun hmac(secret: ByteArray, vararg parts: ByteArray): ByteArray {
        val mac = Mac.getInstance("HmacSHA256")
        mac.init(SecretKeySpec(secret, "HmacSHA256"))
        parts.forEach(mac::update)
        return mac.doFinal()
    }

    /** The number that stands in some bytes, the highest first. */
    private fun number(data: ByteArray, places: IntRange): Long =
        places.fold(0L) { number, place -> (number shl 8) or (data[place].toLong() and 0xFF) }

    /** The UTF-8 of a text of 1 to [longest] UTF-16 units without control characters. */
    private fun text(name: String, value: String, longest: Int): ByteArray {
        if (value == "") throw DeskgateException("empty", "$name is empty")
        if (value.any { it < ' ' || it == '\u007F' }) throw DeskgateException("control_character", "$name has a control character")
        if (value.length > longest) throw DeskgateException("too_long", "$name has more than $longest UTF-16 units")
        try {
            val bytes = Charsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value))
            return ByteArray(bytes.remaining()).also { bytes.get(it) }
        } catch (error: CharacterCodingException) {
            throw DeskgateException("not_unicode", "$name has half of a surrogate pair")
        }
    }

    private fun keySecret(secret: String): ByteArray {
        if (!Regex("[A-Za-z0-9_-]{43}").matches(secret.trim())) {
            throw DeskgateException("bad_secret", "a secret is 43 base64url characters, as deskgate secret new prints it")
        }
        return Base64.getUrlDecoder().decode(secret.trim())
    }

    private fun signingSecret(secret: String): ByteArray {
        val text = secret.trim()
        if (!Regex("whsec_[A-Za-z0-9+/]{32,86}={0,2}").matches(text) || text.length % 4 != 2) {
            throw DeskgateException("bad_secret", "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it")
        }
        return Base64.getDecoder().decode(text.substring(6))
    }
}
