import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks clients/Deskgate.java what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line. */
final class Driver {
    private static final class Request {
        private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

        private Request(List<String> fields) {
            for (String field : fields) headers.put(text(field.split(":", -1)[0]), text(field.split(":", -1)[1]));
        }

        private String getHeader(String name) {
            return headers.get(name);
        }
    }

    private static byte[] bytes(String field) {
        byte[] bytes = new byte[field.length() / 2];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(field.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }

    private static String text(String field) {
        return new String(bytes(field), StandardCharsets.UTF_8);
    }

    private static String example(Request request, byte[] body) throws IOException {
        String secret = Files.readString(Path.of("secrets/app-1.key"));
        String securityKey = Deskgate.mintSecurityKey("my-app", "user-1", 1, secret, Duration.ofDays(7)); // for the signed-in user
        Deskgate.verifySecurityKey("my-app", "user-1", securityKey, Map.of(1L, secret)); // in a test of yours
        String signingSecret = Files.readString(Path.of("secrets/backend.key"));
        Deskgate.verifyEvent(request::getHeader, body, List.of(signingSecret)); // throws DeskgateException: answer 401
        return securityKey;
    }

    private static String ofSendbird(Request request, byte[] body) throws IOException {
        String secret = Files.readString(Path.of("secrets/sendbird-1.key"));
        String signingSecret = Files.readString(Path.of("secrets/backend.key"));
        String securityKey = Deskgate.mintSecurityKey("sendbird-app", "user-1", 1, secret, Duration.ofDays(7)); // for POST /sendbird/session-token
        Deskgate.verifyEvent(request::getHeader, body, List.of(signingSecret)); // throws DeskgateException: answer 401
        String json = new String(body, StandardCharsets.UTF_8); // for Jackson or Gson
        return securityKey + " " + json.contains("\"ticket.rated\"");
    }

    /** Java's library has no JSON: the members are found in the text. */
    private static String read(String body) {
        Matcher found = Pattern.compile("\"type\":\"([^\"]*)\".*\"data\":\\{\"ticket_id\":([0-9]+)").matcher(body);
        return found.find() ? found.group(1) + " " + found.group(2) : "unread";
    }

    private static String answer(String command, List<String> fields) throws IOException {
        switch (command) {
            case "mint":
                String app = text(fields.get(0));
                String user = text(fields.get(1));
                long keyId = Long.parseLong(fields.get(2));
                String secret = text(fields.get(3));
                Duration lifetime = Duration.ofSeconds(Long.parseLong(fields.get(4)));
                if (fields.get(5).equals("-")) return Deskgate.mintSecurityKey(app, user, keyId, secret, lifetime);
                Instant now = Instant.ofEpochSecond(Long.parseLong(fields.get(5)));
                return Deskgate.mintSecurityKey(app, user, keyId, secret, lifetime, now, bytes(fields.get(6)));
            case "verify":
                Map<Long, String> keys = new HashMap<>();
                for (String field : fields.subList(4, fields.size())) {
                    keys.put(Long.valueOf(text(field.split(":")[0])), text(field.split(":")[1]));
                }
                Instant time = Instant.ofEpochSecond(Long.parseLong(fields.get(3)));
                Deskgate.verifySecurityKey(text(fields.get(0)), text(fields.get(1)), text(fields.get(2)), keys, time);
                return "valid";
            case "event":
            case "read":
                List<String> secrets = new ArrayList<>();
                for (String field : fields.get(2).split(",", -1)) secrets.add(text(field));
                secrets.remove(secrets.size() - 1);
                Request request = new Request(fields.subList(3, fields.size()));
                Instant at = Instant.ofEpochSecond(Long.parseLong(fields.get(0)));
                Deskgate.verifyEvent(request::getHeader, bytes(fields.get(1)), secrets, at, Duration.ofMinutes(5));
                return command.equals("event") ? "genuine" : read(text(fields.get(1)));
            case "not-unicode":
                return Deskgate.mintSecurityKey("app", "\ud800", 1, "A".repeat(43), Duration.ZERO);
            case "half-second":
                return Deskgate.mintSecurityKey("app", "user", 1, "A".repeat(43), Duration.ofMillis(500));
            case "number":
                return "impossible";
            case "sendbird":
                return ofSendbird(new Request(fields.subList(1, fields.size())), bytes(fields.get(0)));
            default:
                return example(new Request(fields.subList(1, fields.size())), bytes(fields.get(0)));
        }
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            List<String> fields = Arrays.asList(line.split("\t", -1));
            try {
                System.out.println(answer(fields.get(0), fields.subList(1, fields.size())));
            } catch (Deskgate.DeskgateException error) {
                System.out.println(error.reason);
            }
        }
    }
}
