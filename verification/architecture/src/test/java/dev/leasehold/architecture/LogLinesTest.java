package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The table in docs/logs.md has each line that the library logs at INFO or above, and no other. A row that ends with {@code …}
 * has the beginning of its line; what a line fills in is {@code …} there, too.
 */
class LogLinesTest {

    private static final Pattern MODULES =
            Pattern.compile(".*/(core|stores/\\w+|spring/annotations|spring/boot)/src/main/.*");
    private static final Pattern CALL = Pattern.compile("\\.log\\(\\s*(?=[^\";)]*[lL]evel)");
    private static final Pattern LEVEL = Pattern.compile("Level\\.([A-Z]+)");
    private static final Pattern ROW = Pattern.compile("\\| ([A-Z]+) \\| `(.+?)` \\|.*");

    private record Line(String level, String text) {
        boolean isToldBy(Line row) {
            String beginning = row.text.endsWith("…") ? row.text.substring(0, row.text.length() - 1) : null;
            return level.equals(row.level)
                    && (text.equals(row.text) || (beginning != null && text.startsWith(beginning)));
        }
    }

    @Test
    void theTableHasEachLine() throws IOException {
        List<Line> rows = rows();
        assertThat(logged().stream().filter(line -> !line.level.equals("DEBUG")))
                .isNotEmpty()
                .allMatch(line -> rows.stream().filter(line::isToldBy).count() == 1);
    }

    @Test
    void eachRowIsLogged() throws IOException {
        List<Line> lines = logged();
        assertThat(rows()).isNotEmpty().allMatch(row -> lines.stream().anyMatch(line -> line.isToldBy(row)));
    }

    private static List<Line> rows() throws IOException {
        return Files.readAllLines(Pages.ROOT.resolve("docs/logs.md")).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> new Line(row.group(1), plain(row.group(2))))
                .toList();
    }

    private static List<Line> logged() throws IOException {
        List<Line> lines = new ArrayList<>();
        for (Path file : ProjectFiles.endingIn(".java")) {
            if (!MODULES.matcher(file.toString()).matches()) {
                continue;
            }
            String source = Files.readString(file);
            Matcher call = CALL.matcher(source);
            while (call.find()) {
                add(arguments(source, call.end()), lines);
            }
        }
        return lines;
    }

    private static void add(List<String> arguments, List<Line> lines) {
        Matcher levels = LEVEL.matcher(arguments.get(0));
        while (levels.find()) {
            lines.add(new Line(levels.group(1), arguments.get(1)));
        }
    }

    /** Returns the arguments of a call; of a text its literals, with … for all between them. */
    private static List<String> arguments(String source, int from) {
        List<String> arguments = new ArrayList<>();
        StringBuilder code = new StringBuilder();
        StringBuilder text = new StringBuilder();
        boolean literal = false;
        int depth = 0;
        for (int i = from; depth >= 0; i++) {
            char c = source.charAt(i);
            if (c == '"') {
                for (i++; source.charAt(i) != '"'; i++) {
                    i += source.charAt(i) == '\\' ? 1 : 0;
                    text.append(source.charAt(i));
                }
                literal = true;
                continue;
            }
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if ((c == ',' && depth == 0) || depth < 0) {
                arguments.add(literal ? plain(text.toString()) : code.toString());
                code.setLength(0);
                text.setLength(0);
                literal = false;
                continue;
            }
            code.append(c);
            if (!Character.isWhitespace(c) && c != '+') {
                text.append(text.toString().endsWith("…") ? "" : "…");
            }
        }
        return arguments;
    }

    private static String plain(String text) {
        return text.replaceAll("\\{\\d}", "…")
                .replace("''", "'")
                .replaceAll("…+", "…")
                .replaceFirst("^…", "");
    }
}
