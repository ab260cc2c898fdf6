package dev.leasehold.spring;

import dev.leasehold.architecture.GoldenFile;
import dev.leasehold.architecture.Signatures;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** This test shows that the signatures which users of this module compile against change only on purpose. */
class PublicNamesTest {

    @Test
    void signaturesOfExportedTypes() throws IOException {
        String signatures = Signatures.of(
                "dev.leasehold.spring", "dev.leasehold.spring.integration", "dev.leasehold.spring.shedlock");
        new GoldenFile("signatures.txt").check(signatures);
    }
}
