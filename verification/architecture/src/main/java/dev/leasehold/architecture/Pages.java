package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Pages checks the pages of the documentation: their links, and the Java code in them. */
public final class Pages {

    /** The root of the repository, above the module whose tests run. */
    public static final Path ROOT = root(Path.of("").toAbsolutePath());

    private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern FENCED = Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern MEMBER = Pattern.compile(
            "^(@|(public )?class |final class |record |static |[A-Za-z<>]+ [a-zA-Z]+\\([^()]*\\)[^;\n]*\\{\n)");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.+?) *$", Pattern.MULTILINE);

    private Pages() {}

    private static Path root(Path directory) {
        return Files.exists(directory.resolve("mvnw")) ? directory : root(directory.getParent());
    }

    /** Returns all pages, as paths relative to the root: those of the root itself, of docs, of testing and of verification. */
    public static List<String> all() throws IOException {
        List<String> pages = new ArrayList<>();
        for (String directory : List.of(
                "",
                "docs",
                "docs/internal",
                "testing",
                "verification",
                "verification/benchmarks",
                "verification/model",
                ".github")) {
            if (Files.isDirectory(ROOT.resolve(directory))) {
                try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
                    files.filter(file -> file.toString().endsWith(".md"))
                            .map(file -> ROOT.relativize(file).toString())
                            .forEach(pages::add);
                }
            }
        }
        return pages.stream().sorted().toList();
    }

    /** Returns the blocks of a page that are marked as Java. */
    public static List<String> javaIn(String page) throws IOException {
        List<String> blocks = new ArrayList<>();
        for (Matcher block = JAVA.matcher(Files.readString(ROOT.resolve(page))); block.find(); ) {
            blocks.add(block.group(1));
        }
        return blocks;
    }

    /** Returns the first block of a page that has a class of this name. */
    public static String classIn(String page, String name) throws IOException {
        return javaIn(page).stream()
                .filter(block -> block.contains("class " + name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(page + " has no class " + name));
    }

    /** Returns the relative links of a page that lead to a file or to a heading that is not there. */
    public static List<String> brokenLinks(String page) throws IOException {
        Path file = ROOT.resolve(page);
        List<String> broken = new ArrayList<>();
        for (Matcher link = LINK.matcher(withoutCode(file)); link.find(); ) {
            String target = link.group(1);
            if (target.contains("://") || target.startsWith("mailto:")) {
                continue;
            }
            String[] parts = target.split("#", 2);
            Path named = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]);
            if (!Files.exists(named)
                    || (parts.length == 2
                            && named.toString().endsWith(".md")
                            && !anchors(named).contains(parts[1]))) {
                broken.add(target);
            }
        }
        return broken;
    }

    /** Returns the anchors that GitHub gives to the headings of a page. */
    private static Set<String> anchors(Path file) throws IOException {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        for (Matcher heading = HEADING.matcher(withoutCode(file)); heading.find(); ) {
            String anchor = heading.group(1)
                    .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                    .replace(' ', '-');
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        }
        return anchors;
    }

    private static String withoutCode(Path file) throws IOException {
        return FENCED.matcher(Files.readString(file)).replaceAll("");
    }

    /**
     * Compiles the blocks of a page: statements each in a method of its own, classes and methods as members of a class.
     *
     * @param around imports are those that end in a semicolon and begin with {@code import}; the rest are members that the
     *     blocks may use, and may hide with variables of their own
     */
    public static void compile(String page, String around, Path directory) throws IOException {
        StringBuilder imports = new StringBuilder();
        StringBuilder members = new StringBuilder();
        around.lines()
                .forEach(line -> (line.startsWith("import ") ? imports : members)
                        .append(line)
                        .append('\n'));
        List<String> blocks = javaIn(page);
        for (int i = 0; i < blocks.size(); i++) {
            String block = blocks.get(i);
            for (Matcher imported = Pattern.compile("(?m)^import .*;\\n").matcher(block); imported.find(); ) {
                imports.append(imported.group());
            }
            block = block.replaceAll("(?m)^import .*;\\n", "").strip();
            boolean isMember = MEMBER.matcher(block).find();
            members.append(
                            isMember
                                    ? "static class Example" + i + " {\n"
                                    : "static void example" + i + "() throws Exception {\n")
                    .append(block)
                    .append("\n}\n");
        }
        String name = "Page" + Integer.toHexString(page.hashCode());
        compileClass(name, imports + "class " + name + " {\n" + members + "}\n", directory);
    }

    /** Compiles a class of this name into a directory. */
    public static void compileClass(String name, String source, Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve(name + ".java"), source);
        int result = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        directory.toString(),
                        file.toString());
        assertThat(result).as("javac's exit status for\n" + source).isZero();
    }
}
