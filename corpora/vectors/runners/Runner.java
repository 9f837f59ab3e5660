// Vectors for Java:  javac Runner.java Json.java && gzip -dc core.json.gz | java Runner tokenizer.json
// Json.java is beside it where `conformance subject init --language java` has written an adapter. Put your library into
// `Tokenizer`; it throws where it refuses. Streams and settings are left out.
import java.nio.charset.StandardCharsets;
import java.util.*;

public class Runner {
    static class Tokenizer { // a toy, whose ids are the bytes of UTF-8
        Tokenizer(String path) {}
        List<Long> encode(String text, boolean addSpecialTokens) {
            List<Long> ids = new ArrayList<>();
            for (byte one : text.getBytes(StandardCharsets.UTF_8)) ids.add(one & 0xffL);
            return ids;
        }
        String decode(List<Long> ids, boolean skipSpecialTokens) {
            byte[] data = new byte[ids.size()];
            for (int n = 0; n < data.length; n++) {
                if (ids.get(n) > 255) throw new IllegalArgumentException("no id");
                data[n] = ids.get(n).byteValue();
            }
            return new String(data, StandardCharsets.UTF_8);
        }
    }

    @SuppressWarnings("unchecked")
    static <T> T get(Object map, String key) { return (T) ((Map<String, Object>) map).get(key); }

    static boolean isRight(Tokenizer tokenizer, Object group, Object test) {
        String type = get(group, "type");
        if (type.equals("decode")) return tokenizer.decode(get(test, "ids"), get(group, "skipSpecialTokens")).equals(get(test, "text"));
        boolean special = get(group, "addSpecialTokens");
        if (type.equals("encode")) return tokenizer.encode(get(test, "text"), special).equals(get(test, "ids"));
        List<String> texts = get(test, "texts");
        List<Object> ids = new ArrayList<>();
        for (String text : texts) ids.add(tokenizer.encode(text, special));
        return ids.equals(get(test, "ids"));
    }

    public static void main(String[] arguments) throws Exception {
        Object vectors = Json.read(new String(System.in.readAllBytes(), StandardCharsets.UTF_8));
        Tokenizer tokenizer = new Tokenizer(arguments[0]);
        Map<String, Integer> count = new LinkedHashMap<>();
        for (String what : List.of("passed", "failed", "acceptable", "skipped")) count.put(what, 0);
        for (Object group : (List<Object>) get(vectors, "testGroups"))
            for (Object test : (List<Object>) get(group, "tests")) {
                String type = get(group, "type"), result = get(test, "result"), what = "skipped";
                if (List.of("encode", "decode", "batch").contains(type) && !(type.equals("encode") && get(test, "text") == null)) {
                    boolean right;
                    try { right = isRight(tokenizer, group, test) && !result.equals("refused"); }
                    catch (RuntimeException refusal) { right = result.equals("refused"); }
                    what = right ? "passed" : result.equals("acceptable") ? "acceptable" : "failed";
                    if (what.equals("failed"))
                        System.out.println("FAIL " + get(test, "tcId") + " " + type + " " + String.join("; ", (List<String>) get(test, "flags")));
                }
                count.merge(what, 1, Integer::sum);
            }
        StringJoiner said = new StringJoiner(", ");
        count.forEach((what, number) -> said.add(number + " " + what));
        System.out.println(said);
        System.exit(count.get("failed") > 0 || count.get("passed") == 0 ? 1 : 0);
    }
}
