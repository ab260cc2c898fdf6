package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/** The Java code in a page of the documentation. */
final class Snippets {

    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    private Snippets() {}

    static List<String> in(String page) throws IOException {
        List<String> blocks = new ArrayList<>();
        for (Matcher block = JAVA.matcher(Files.readString(ROOT.resolve(page))); block.find(); ) {
            blocks.add(block.group(1));
        }
        return blocks;
    }

    /** Compiles a class of this name into a directory. */
    static void compile(String name, String source, Path directory) throws IOException {
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
