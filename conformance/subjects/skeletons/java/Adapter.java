import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
 *
 * <p>Three methods are to be filled in: load, encode and decode. They may throw what the library throws. As they stand,
 * they are a tokenizer of bytes. What is logged goes to standard error.
 */
final class Adapter {
    private static final Map<String, Object> ABOUT = Map.of(
            "name", "bytes", // the name of your library; add a "version" if you publish releases
            "language", "java",
            "runtime", "java " + System.getProperty("java.version"));

    // Such as "encode", Map.of("add_special_tokens", "never")
    private static final Map<String, Object> CAPABILITIES = Map.of("encode", Map.of(), "decode", Map.of());

    /** Here: what the library has. */
    private static final class Tokenizer {}

    /**
     * The tokenizer of a model: its path, format and sha256, and its encoding where that is known. options: of
     * subject.toml. What is thrown here is the answer that the library does not read this model.
     */
    private static Tokenizer load(Map<String, Object> model, Map<String, Object> options) throws Exception {
        return new Tokenizer(); // here: the library reads (String) model.get("path")
    }

    /** The ids of a text. */
    private static long[] encode(Tokenizer tokenizer, String text, boolean addSpecialTokens) throws Exception {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long[] ids = new long[bytes.length];
        for (int i = 0; i < bytes.length; i++) ids[i] = bytes[i] & 0xff;
        return ids;
    }

    /** The text of ids: a String, or its bytes as a byte[]. */
    private static Object decode(Tokenizer tokenizer, long[] ids, boolean skipSpecialTokens) throws Exception {
        byte[] bytes = new byte[ids.length];
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] < 0 || ids[i] > 255) throw new IllegalArgumentException("no token has the id " + ids[i]);
            bytes[i] = (byte) ids[i];
        }
        return bytes;
    }

    // From here on nothing is to be changed.

    /** Something that is asked of the library. */
    private interface Ask<Input> {
        Map<String, Object> of(Input input) throws Exception;
    }

    private Tokenizer tokenizer;

    /** The fields of the answer to a message; what is thrown is a mistake in the message, or here. */
    private Map<String, Object> answer(Map<String, Object> message) {
        String op = field(message, "op", String.class);
        switch (op) {
            case "start":
            case "load":
                return start(message);
            case "encode": {
                boolean special = field(message, "add_special_tokens", Boolean.class);
                List<String> texts = new ArrayList<>();
                for (Object item : field(message, "items", List.class)) texts.add(field(item, "text", String.class));
                return results(texts, text -> Map.of("ids", listOf(encode(tokenizer, text, special))));
            }
            case "decode": {
                boolean skips = field(message, "skip_special_tokens", Boolean.class);
                List<long[]> lists = new ArrayList<>();
                for (Object item : field(message, "items", List.class)) {
                    lists.add(idsOf(field(item, "ids", List.class)));
                }
                return results(lists, ids -> decoded(decode(tokenizer, ids, skips)));
            }
            default:
                throw new IllegalArgumentException("unknown op '" + op + "'");
        }
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> start(Map<String, Object> message) {
        Map<String, Object> model = field(message, "model", Map.class);
        Map<String, Object> options = message.containsKey("options") ? field(message, "options", Map.class) : Map.of();
        tokenizer = null;
        try {
            tokenizer = load(model, options);
        } catch (Exception error) {
            return Map.of("unavailable", Map.of("message", error.toString()));
        }
        return Map.of("started", Map.of("protocol", 1L, "subject", ABOUT, "capabilities", CAPABILITIES));
    }

    /** One result for each input; what the library throws is the answer to that one. */
    private <Input> Map<String, Object> results(List<Input> inputs, Ask<Input> ask) {
        if (tokenizer == null) throw new IllegalArgumentException("no model is loaded");
        List<Object> results = new ArrayList<>();
        for (Input input : inputs) {
            try {
                results.add(ask.of(input));
            } catch (Exception error) {
                results.add(Map.of("refused", told(error)));
            } catch (Error error) { // such as a StackOverflowError
                results.add(Map.of("crashed", told(error)));
            }
        }
        return Map.of("results", results);
    }

    private static <Kind> Kind field(Object object, String name, Class<Kind> kind) {
        Object value = object instanceof Map ? ((Map<?, ?>) object).get(name) : null;
        if (!kind.isInstance(value)) throw new IllegalArgumentException("no field '" + name + "', or of another kind");
        return kind.cast(value);
    }

    private static long[] idsOf(List<?> items) {
        long[] ids = new long[items.size()];
        for (int i = 0; i < ids.length; i++) {
            if (!(items.get(i) instanceof Long)) throw new IllegalArgumentException("an id that is no integer");
            ids[i] = (Long) items.get(i);
        }
        return ids;
    }

    private static List<Object> listOf(long[] ids) {
        List<Object> list = new ArrayList<>(ids.length);
        for (long id : ids) list.add(id);
        return list;
    }

    private static Map<String, Object> decoded(Object text) {
        if (text instanceof byte[]) return Map.of("base64", Base64.getEncoder().encodeToString((byte[]) text));
        return Map.of("text", (String) text);
    }

    private static Map<String, Object> told(Throwable error) {
        return Map.of("message", messageOf(error), "type", error.getClass().getName());
    }

    private static String messageOf(Throwable error) {
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }

    /** The message of a line, or null where it has no id: such a line is passed over. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> read(String line) {
        try {
            Object message = Json.read(line);
            field(message, "id", Long.class);
            return (Map<String, Object>) message;
        } catch (IllegalArgumentException error) {
            System.err.println("passed over a line: " + error.getMessage());
            return null;
        }
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = System.out;
        System.setOut(System.err); // what the library prints is no answer
        Adapter adapter = new Adapter();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Map<String, Object> message = read(line);
            if (message == null) continue;
            if ("stop".equals(message.get("op"))) break;
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("id", message.get("id"));
            try {
                answer.putAll(adapter.answer(message));
            } catch (Exception | Error error) {
                answer.put("error", Map.of("message", messageOf(error)));
            }
            answers.write((Json.write(answer) + "\n").getBytes(StandardCharsets.US_ASCII));
            answers.flush();
        }
        System.exit(0); // though the library may have threads
    }
}
