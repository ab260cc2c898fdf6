package dev.leasehold.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What editors know of the properties, and where Spring Boot finds the auto-configurations. */
class MetadataTest {

    @Test
    void everyPropertyHasADescriptionAndItsDefault() throws IOException {
        String metadata = Files.readString(
                Path.of("target/classes/META-INF/spring-configuration-metadata.json"), StandardCharsets.UTF_8);
        assertThat(metadata)
                .contains("\"leasehold.store.uri\"")
                .contains("URI of the store, such as redis")
                .contains("\"leasehold.store.jdbc.own-pool\"")
                .contains("\"leasehold.shutdown.wait-time\"")
                .contains("\"defaultValue\": \"20s\"");
    }

    @Test
    void everyAutoConfigurationIsNamed() throws IOException {
        String imports = Files.readString(Path.of(
                "src/main/resources/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports"));
        try (var files = Files.walk(Path.of("src/main/java"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith("AutoConfiguration.java")))
                    .allSatisfy(name -> assertThat(imports).contains("." + name.replace(".java", "")));
        }
    }
}
