import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Deskgate for a backend in Java: mints and verifies security keys, and verifies signed events.
 *
 * <p>Copy this file into a package of yours; it needs Java 11 and no library. {@code DeskgateException.reason} is a word of the table in
 * clients/README.md.
 *
 * <pre>{@code
 * String secret = Files.readString(Path.of("secrets/app-1.key"));
 * String securityKey = Deskgate.mintSecurityKey("my-app", "user-1", 1, secret, Duration.ofDays(7)); // for the signed-in user
 * Deskgate.verifySecurityKey("my-app", "user-1", securityKey, Map.of(1L, secret)); // in a test of yours
 * String signingSecret = Files.readString(Path.of("secrets/backend.key"));
 * Deskgate.verifyEvent(request::getHeader, body, List.of(signingSecret)); // throws DeskgateException: answer 401
 * }</pre>
 */
public final class Deskgate {
    /** How far the clocks of backend and service may differ, in seconds, as the service has it by default. */
    private static final long CLOCK_SKEW = 60;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Deskgate() {}

    /** Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given. */
    public static final class DeskgateException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** The word for programs. */
        public final String reason;

        DeskgateException(String reason, String message) {
            super(reason + ": " + message);
            this.reason = reason;
        }
    }

    /**
     * Makes a security key of 89 characters.
     *
     * @param keyId the secret's number in the service's configuration
     * @param secret what {@code deskgate secret new} prints
     * @param lifetime in whole seconds; {@code Duration.ZERO} never ends
     */
    public static String mintSecurityKey(String appId, String userId, long keyId, String secret, Duration lifetime) {
        byte[] salt = new byte[16];
        RANDOM.nextBytes(salt);
        return mintSecurityKey(appId, userId, keyId, secret, lifetime, Instant.now(), salt);
    }

    /** The same with a time and a salt of 16 bytes, for tests: each key needs a random salt of its own. */
    public static String mintSecurityKey(
            String appId, String userId, long keyId, String secret, Duration lifetime, Instant now, byte[] salt) {
        byte[] app = text("appId", appId, 255);
        byte[] user = text("userId", userId, 100);
        long issuedAt = now.getEpochSecond();
        long seconds = lifetime.getSeconds();
        if (keyId < 0 || keyId >= 1L << 32) throw new DeskgateException("bad_argument", "keyId is from 0 to 4294967295");
        if (seconds < 0 || lifetime.getNano() != 0 || issuedAt < 0 || seconds >= (1L << 40) - issuedAt) {
            throw new DeskgateException("bad_argument", "lifetime is whole seconds, at least 0, and the key ends before 2^40");
        }
        if (salt.length != 16) throw new DeskgateException("bad_argument", "salt is 16 bytes");
        long expiresAt = seconds == 0 ? 0 : issuedAt + seconds;
        ByteBuffer key = ByteBuffer.allocate(63).put((byte) 0).putInt((int) keyId);
        for (long moment : new long[] {issuedAt, expiresAt}) key.put((byte) (moment >> 32)).putInt((int) moment);
        key.put(salt);
        key.put(mac(keySecret(secret), key.array(), app, user));
        return "dgk1." + Base64.getUrlEncoder().encodeToString(key.array());
    }

    /** Throws DeskgateException unless the key is genuine and in force now. */
    public static void verifySecurityKey(String appId, String userId, String securityKey, Map<Long, String> secrets) {
        verifySecurityKey(appId, userId, securityKey, secrets, Instant.now());
    }

    /**
     * Throws DeskgateException unless the key is genuine and in force. The service alone knows what is revoked or blocked, and how long a
     * key may live.
     *
     * @param secrets the app's secrets by key id
     */
    public static void verifySecurityKey(String appId, String userId, String securityKey, Map<Long, String> secrets, Instant now) {
        byte[] app = text("appId", appId, 255);
        byte[] user = text("userId", userId, 100);
        text("securityKey", securityKey, 100);
        // The first byte of the head is 0: in base64url A and one of A to P.
        if (!securityKey.matches("dgk1\\.A[A-P][A-Za-z0-9_-]{82}")) {
            throw new DeskgateException("not_a_security_key", "expected dgk1. and 84 base64url characters");
        }
        byte[] data = Base64.getUrlDecoder().decode(securityKey.substring(5));
        ByteBuffer key = ByteBuffer.wrap(data);
        String secret = secrets.get(Integer.toUnsignedLong(key.getInt(1)));
        if (secret == null) throw new DeskgateException("unknown_key", "there is no secret of this key id");
        if (!MessageDigest.isEqual(mac(keySecret(secret), data, app, user), Arrays.copyOfRange(data, 31, 63))) {
            throw new DeskgateException("wrong_mac", "made with another secret, or for another app or user");
        }
        long issuedAt = (long) (data[5] & 0xFF) << 32 | Integer.toUnsignedLong(key.getInt(6));
        long expiresAt = (long) (data[10] & 0xFF) << 32 | Integer.toUnsignedLong(key.getInt(11));
        if (issuedAt > now.getEpochSecond() + CLOCK_SKEW) {
            throw new DeskgateException("issued_in_future", "issued later than now; one of the clocks is wrong");
        }
        if (expiresAt != 0 && now.getEpochSecond() > expiresAt + CLOCK_SKEW) throw new DeskgateException("expired", "its life is over");
    }

    /** Throws DeskgateException unless the service has signed this request at most five minutes from now. */
    public static void verifyEvent(Function<String, String> headers, byte[] body, List<String> secrets) {
        verifyEvent(headers, body, secrets, Instant.now(), Duration.ofMinutes(5));
    }

    /**
     * Throws DeskgateException unless the service has signed this request (Standard Webhooks) at most {@code tolerance} from now. A retry
     * has the same {@code webhook-id}, so remember the ids that you have processed.
     *
     * @param headers finds a header whatever its case, such as {@code request::getHeader} or {@code headers::getFirst}; null if absent
     * @param body the raw body, as it was received
     * @param secrets {@code whsec_…}; several while one is replaced
     */
    public static void verifyEvent(
            Function<String, String> headers, byte[] body, List<String> secrets, Instant now, Duration tolerance) {
        String id = headers.apply("webhook-id");
        String timestamp = headers.apply("webhook-timestamp");
        String signatures = headers.apply("webhook-signature");
        if (isEmpty(id) || isEmpty(timestamp) || isEmpty(signatures)) {
            throw new DeskgateException("missing_header", "expected webhook-id, webhook-timestamp and webhook-signature");
        }
        if (secrets.isEmpty()) throw new DeskgateException("bad_secret", "expected at least one secret");
        boolean genuine = false;
        for (String secret : secrets) {
            byte[] code = hmac(signingSecret(secret), (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8), body);
            byte[] expected = ("v1," + Base64.getEncoder().encodeToString(code)).getBytes(StandardCharsets.UTF_8);
            for (String signature : signatures.split(" ")) {
                genuine |= MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
            }
        }
        if (!genuine || id.contains(".") || !timestamp.matches("[0-9]{1,15}")) {
            throw new DeskgateException("not_genuine", "made with another secret, or of another body");
        }
        if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > tolerance.getSeconds()) {
            throw new DeskgateException("expired", "signed too long before or after now");
        }
    }

    /** The MAC of a key whose first 31 bytes are its head. */
    private static byte[] mac(byte[] secret, byte[] key, byte[] app, byte[] user) {
        ByteBuffer message = ByteBuffer.allocate(14 + 31 + 4 + app.length + 4 + user.length);
        message.put("deskgate/sk/v1".getBytes(StandardCharsets.UTF_8)).put(key, 0, 31);
        message.putInt(app.length).put(app).putInt(user.length).put(user);
        return hmac(secret, message.array());
    }

    private static byte[] hmac(byte[] secret, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            for (byte[] part : parts) mac.update(part);
            return mac.doFinal();
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("every Java has HmacSHA256", error);
        }
    }

    private static boolean isEmpty(String value) {
        return value == null || value.isEmpty();
    }

    /** The UTF-8 of a text of 1 to {@code longest} UTF-16 units without control characters. */
    private static byte[] text(String name, String value, int longest) {
        if (isEmpty(value)) throw new DeskgateException("empty", name + " is empty");
        if (value.chars().anyMatch(unit -> unit < 0x20 || unit == 0x7F)) {
            throw new DeskgateException("control_character", name + " has a control character");
        }
        if (value.length() > longest) throw new DeskgateException("too_long", name + " has more than " + longest + " UTF-16 units");
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
            byte[] result = new byte[bytes.remaining()];
            bytes.get(result);
            return result;
        } catch (CharacterCodingException error) {
            throw new DeskgateException("not_unicode", name + " has half of a surrogate pair");
        }
    }

    private static byte[] keySecret(String secret) {
        if (!secret.trim().matches("[A-Za-z0-9_-]{43}")) {
            throw new DeskgateException("bad_secret", "a secret is 43 base64url characters, as deskgate secret new prints it");
        }
        return Base64.getUrlDecoder().decode(secret.trim());
    }

    private static byte[] signingSecret(String secret) {
        String text = secret.trim();
        if (!text.matches("whsec_[A-Za-z0-9+/]{32,86}={0,2}") || text.length() % 4 != 2) {
            throw new DeskgateException(
                    "bad_secret", "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it");
        }
        return Base64.getDecoder().decode(text.substring(6));
    }
}
