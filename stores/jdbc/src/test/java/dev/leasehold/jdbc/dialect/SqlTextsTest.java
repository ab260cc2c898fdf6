package dev.leasehold.jdbc.dialect;

import dev.leasehold.architecture.GoldenFile;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The statements for each database, and its schema, change only on purpose. */
class SqlTextsTest {

    @ParameterizedTest
    @EnumSource
    void statementsChangeOnlyOnPurpose(Product database) throws IOException, IllegalAccessException {
        Tables tables = new Tables(database.rules(), null, Tables.PREFIX);
        ServerSql sql = new ServerSql(tables);
        TreeMap<String, String> texts = new TreeMap<>();
        for (Field field : ServerSql.class.getDeclaredFields()) {
            if (field.getType() == String.class && !Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                texts.put(field.getName(), (String) field.get(sql));
            }
        }
        texts.put("look", sql.look(2));
        texts.put("lockRows", sql.lockRows(2));
        texts.put("extendRows", sql.extendRows(2));
        texts.put("renewHolders", sql.renewHolders(2));
        StringBuilder all = new StringBuilder();
        texts.forEach((name, text) -> all.append(name).append(": ").append(text).append('\n'));
        new GoldenFile("sql-" + database.name().toLowerCase(java.util.Locale.ROOT) + ".txt")
                .check(all + "\n" + tables.ddl());
    }
}
