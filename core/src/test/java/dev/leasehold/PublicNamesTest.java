package dev.leasehold;

import dev.leasehold.architecture.GoldenFile;
import dev.leasehold.architecture.LoggerNames;
import dev.leasehold.architecture.Signatures;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * These tests show that names which users compile against, or write into their configuration, change only on purpose.
 */
class PublicNamesTest {

    @Test
    void signaturesOfExportedTypes() throws IOException {
        new GoldenFile("signatures.txt")
                .check(Signatures.of(
                        "dev.leasehold",
                        "dev.leasehold.doctor",
                        "dev.leasehold.inspect",
                        "dev.leasehold.observe",
                        "dev.leasehold.spi"));
    }

    @Test
    void allLoggersBearTheModulesName() throws IOException {
        LoggerNames.checkThatAllAre("dev.leasehold");
    }
}
