package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests show that the servers of tests that run side by side leave each other alone. */
@Tag("slow")
class MariaDbServerTest {

    /** MariaDB removes leftovers of its temporary tables when it starts; another server that was being set up lost its own. */
    @Test
    void aServerThatStartsRemovesNoTemporaryTableOfAnother() throws Exception {
        Path table = Files.createTempFile("#sql-temptable-0-0-", ".MAI");
        try (MariaDbServer server = MariaDbServer.start()) {
            assertThat(server.log()).contains("ready for connections");
            assertThat(table).exists();
        } finally {
            Files.deleteIfExists(table);
        }
    }
}
