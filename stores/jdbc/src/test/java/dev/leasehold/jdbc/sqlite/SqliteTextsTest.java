package dev.leasehold.jdbc.sqlite;

import dev.leasehold.architecture.GoldenFile;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * SQLite's statements and its schema change only on purpose. The statements stand where they are used, so they are read
 * from the constants of the compiled classes, where the compiler has put their parts together.
 */
class SqliteTextsTest {

    private static final Path CLASSES = Path.of("target", "classes", "dev", "leasehold", "jdbc");
    /**
     * The pattern finds a text as the compiler writes it: \1 stands for a part that is known only when the statement is
     * sent.
     */
    private static final Pattern STATEMENT = Pattern.compile(
            "(\1|SELECT|INSERT|UPDATE|DELETE|BEGIN|COMMIT|ROLLBACK|PRAGMA|CREATE)( .*)?", Pattern.DOTALL);

    @Test
    void statementsChangeOnlyOnPurpose() throws IOException {
        TreeSet<String> statements = new TreeSet<>();
        try (Stream<Path> files = Files.list(CLASSES.resolve("sqlite"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".class")).toList()) {
                String type = file.getFileName().toString().replaceFirst("[.$].*", "");
                texts(file).stream()
                        .filter(text -> STATEMENT.matcher(text).matches())
                        .forEach(text -> statements.add(type + ": " + text.replace("\1", "<part>")));
            }
        }
        Path schema = CLASSES.resolve("schema").resolve("sqlite.sql");
        new GoldenFile("sql-sqlite.txt")
                .check(String.join("\n", statements) + "\n\n" + Files.readString(schema, StandardCharsets.UTF_8));
    }

    /** Reads the texts among a class file's constants, as the JVM's specification lays them out. */
    private static List<String> texts(Path file) {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            in.skipNBytes(8);
            int count = in.readUnsignedShort();
            String[] utf8 = new String[count];
            TreeSet<Integer> texts = new TreeSet<>();
            for (int i = 1; i < count; i++) {
                int tag = in.readUnsignedByte();
                switch (tag) {
                    case 1 -> utf8[i] = in.readUTF();
                    case 8 -> texts.add(in.readUnsignedShort());
                    case 7, 16, 19, 20 -> in.skipNBytes(2);
                    case 15 -> in.skipNBytes(3);
                    case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
                    case 5, 6 -> {
                        in.skipNBytes(8);
                        i++; // A long or a double takes two places.
                    }
                    default -> throw new IllegalStateException("a constant of the kind " + tag);
                }
            }
            return texts.stream().map(at -> utf8[at]).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
