package dev.leasehold.jdbc.dialect;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tables has the names of a store's tables, quoted for its database, and the statements that make them.
 *
 * @param schema where the tables are; null for where the connection looks first
 * @param prefix what their names begin with
 */
public record Tables(Dialect dialect, @Nullable String schema, String prefix) {

    public static final String PREFIX = "leasehold_";

    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final int LONGEST = 40;
    private static final Pattern END_OF_STATEMENT = Pattern.compile(";\\s*(?:\\n|$)");

    public static String checked(String what, String identifier) {
        if (!IDENTIFIER.matcher(identifier).matches() || identifier.length() > LONGEST) {
            throw new IllegalArgumentException(what + " must be 1 to " + LONGEST
                    + " letters, digits and underscores, not beginning with a digit, but was '" + identifier + "'");
        }
        return identifier;
    }

    private String named(String table) {
        String quoted = dialect.quote(prefix + table);
        return schema == null ? quoted : dialect.quote(schema) + "." + quoted;
    }

    /** Puts the tables' names into a statement. */
    public String in(String statement) {
        return statement
                .replace("$lock", named("lock"))
                .replace("$holder", named("holder"))
                .replace("$waiter", named("waiter"))
                .replace("$layout", named("layout"));
    }

    /** Returns the statements that make the tables, as a person would run them. */
    public String ddl() {
        String text = resource();
        for (String table : List.of("lock", "holder", "waiter", "layout")) {
            text = text.replaceAll(
                    Pattern.quote(dialect.quote(PREFIX + table)), Matcher.quoteReplacement(named(table)));
        }
        return text;
    }

    /** Returns the statements that give a user what locks need; they do no harm where it has it. */
    public String grants(String user) {
        String all = "SELECT, INSERT, UPDATE, DELETE ON ";
        List<String> rights = List.of(all + "$lock", all + "$holder", all + "$waiter", "SELECT ON $layout");
        return DatabaseRights.grants(
                dialect, schema, rights.stream().map(this::in).toList(), user);
    }

    public List<String> statements() {
        return END_OF_STATEMENT
                .splitAsStream(ddl())
                .filter(statement -> !statement.isBlank())
                .toList();
    }

    private String resource() {
        String name = "/dev/leasehold/jdbc/schema/" + dialect.schema();
        try (InputStream resource = Tables.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(resource, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(name, e);
        }
    }
}
