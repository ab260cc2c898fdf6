package dev.leasehold.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import dev.leasehold.spring.Locked;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** These tests show what editors know of the properties, and where Spring Boot finds the auto-configurations. */
class MetadataTest {

    private static final Path PAGE = Pages.ROOT.resolve("docs/spring.md");
    private static final String METADATA = "target/classes/META-INF/spring-configuration-metadata.json";
    private static final String IMPORTS =
            "src/main/resources/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";

    @Test
    void propertiesAreInTheMetadata() throws IOException {
        String metadata = Files.readString(Path.of(METADATA));
        assertThat(metadata).contains("\"leasehold.store.uri\"");
        assertThat(metadata).contains("\"leasehold.store.jdbc.own-pool\"");
        assertThat(metadata).contains("\"leasehold.shutdown.wait-time\"");
    }

    private static final Pattern PROPERTY = Pattern.compile("\\{[^{}]*\"name\": \"(leasehold\\.[^\"]+)\"[^{}]*}");
    private static final Pattern DEFAULT = Pattern.compile("\"defaultValue\": \"?([^\"\\n,]*)");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** The properties and their defaults, empty for none. */
    private static Map<String, String> properties() throws IOException {
        Map<String, String> found = new TreeMap<>();
        Matcher matcher = PROPERTY.matcher(Files.readString(Path.of(METADATA)));
        while (matcher.find()) {
            Matcher value = DEFAULT.matcher(matcher.group());
            if (matcher.group().contains("\"type\"") && !matcher.group().contains("\"sourceMethod\"")) {
                found.put(matcher.group(1), value.find() ? value.group(1) : "");
            }
        }
        return found;
    }

    private static List<String> rows(String page, String heading) {
        return page.substring(page.indexOf(heading))
                .lines()
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
    }

    @Test
    void thePageNamesThePropertiesAndTheirDefaults() throws IOException {
        String page = Files.readString(PAGE);
        Map<String, String> properties = properties();
        Set<String> named = new TreeSet<>();
        for (String row : rows(page, "| property | default |")) {
            String[] cells = row.split("\\|");
            String[] defaults = cells[2].split(",");
            List<String> names = CODE.matcher(cells[1])
                    .results()
                    .map(found -> found.group(1))
                    .toList();
            String first = names.get(0);
            for (int i = 0; i < names.size(); i++) {
                String prefix = names.get(i).startsWith(".") ? first.substring(0, first.lastIndexOf('.')) : "";
                String name = prefix + names.get(i);
                assertThat(properties).as(row).containsKey(name);
                Matcher shown = CODE.matcher(defaults[i]);
                assertThat(shown.find() ? shown.group(1) : "").as(name).isEqualTo(properties.get(name));
                named.add(name);
            }
        }
        for (String name : properties.keySet()) {
            assertThat(named.contains(name) || page.contains("`" + name))
                    .as(name)
                    .isTrue();
        }
    }

    @Test
    void thePageNamesTheAttributesOfLocked() throws IOException {
        Set<String> named = new TreeSet<>();
        for (String row : rows(Files.readString(PAGE), "| attribute | what it says |")) {
            CODE.matcher(row.split("\\|")[1]).results().forEach(found -> named.add(found.group(1)));
        }
        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(Stream.of(Locked.class.getDeclaredMethods())
                        .map(Method::getName)
                        .toList());
    }

    @Test
    void everyAutoConfigurationIsNamed() throws IOException {
        String imports = Files.readString(Path.of(IMPORTS));
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith("AutoConfiguration.java")) {
                    assertThat(imports).contains("." + name.replace(".java", ""));
                }
            }
        }
    }
}
