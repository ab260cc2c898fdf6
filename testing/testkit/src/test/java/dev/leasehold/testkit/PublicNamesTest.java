package dev.leasehold.testkit;

import dev.leasehold.architecture.GoldenFile;
import dev.leasehold.architecture.Signatures;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** This test shows that the signatures which users of this module compile against change only on purpose. */
@Tag("slow")
class PublicNamesTest {

    @Test
    void signaturesOfExportedTypes() throws IOException {
        new GoldenFile("signatures.txt").check(Signatures.of("dev.leasehold.testkit"));
    }
}
