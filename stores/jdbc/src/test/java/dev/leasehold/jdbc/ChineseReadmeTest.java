package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** README.zh-CN.md is README.md in Chinese: the same code, tables, links and figures. A change of one asks for the other. */
@Tag("slow")
class ChineseReadmeTest {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```");
    private static final Pattern INLINE_CODE = Pattern.compile("`[^`\\n]+`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)]+)\\)");
    private static final Pattern FIGURE = Pattern.compile("\\d[\\d.,]*\\d|\\d");

    @Test
    void itsCodeIsTheSame() throws IOException {
        assertThat(code("README.zh-CN.md")).hasSizeGreaterThan(5).isEqualTo(code("README.md"));
    }

    @Test
    void itHasTheSameTablesLinksNamesAndFigures() throws IOException {
        String english = withoutBlocks("README.md");
        String chinese = withoutBlocks("README.zh-CN.md");
        assertThat(shape(chinese)).isEqualTo(shape(english));
        assertThat(all(LINK, chinese).stream().filter(link -> !link.contains("(README")))
                .containsExactlyElementsOf(all(LINK, english).stream()
                        .filter(link -> !link.contains("(README"))
                        .toList());
        assertThat(all(INLINE_CODE, chinese)).containsExactlyInAnyOrderElementsOf(all(INLINE_CODE, english));
        for (String figure : all(FIGURE, english)) {
            assertThat(all(FIGURE, chinese)).contains(figure);
        }
    }

    /** Blocks of code without their comments; of a picture what is drawn, without its words. */
    private static List<String> code(String page) throws IOException {
        List<String> blocks = new ArrayList<>();
        for (Matcher block = BLOCK.matcher(read(page)); block.find(); ) {
            String comment = block.group(1).equals("mermaid") ? "(?m)( as |: ).*$" : "(?m)\\s+(//|# |<!--).*$";
            blocks.add(block.group(1) + "\n" + block.group(2).replaceAll(comment, ""));
        }
        return blocks;
    }

    /** Returns how many cells each line of a table has, and where headings and items of lists are. */
    private static List<String> shape(String text) {
        return text.lines()
                .filter(line -> line.matches("(\\||#|- ).*"))
                .map(line -> line.charAt(0) == '|'
                        ? "| " + line.chars().filter(c -> c == '|').count()
                        : line.substring(0, 2))
                .toList();
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(MatchResult::group).toList();
    }

    private static String withoutBlocks(String page) throws IOException {
        return BLOCK.matcher(read(page)).replaceAll("");
    }

    private static String read(String page) throws IOException {
        return Files.readString(Pages.ROOT.resolve(page));
    }
}
