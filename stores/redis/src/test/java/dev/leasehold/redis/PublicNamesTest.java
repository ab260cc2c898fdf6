package dev.leasehold.redis;

import dev.leasehold.architecture.GoldenFile;
import dev.leasehold.architecture.LoggerNames;
import dev.leasehold.architecture.Signatures;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * These tests show that names which users compile against, or write into their configuration, change only on purpose.
 */
@Tag("slow")
class PublicNamesTest {

    @Test
    void signaturesOfExportedTypes() throws IOException {
        new GoldenFile("signatures.txt").check(Signatures.of("dev.leasehold.redis"));
    }

    @Test
    void allLoggersBearTheModulesName() throws IOException {
        LoggerNames.checkThatAllAre("dev.leasehold.redis");
    }
}
