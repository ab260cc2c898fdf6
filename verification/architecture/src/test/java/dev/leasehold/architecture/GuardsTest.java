package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Core and the stores have no lock for which threads stand in line: see {@code dev.leasehold.internal.Guard}. */
class GuardsTest {

    private static final Pattern MODULES = Pattern.compile(".*/(core|stores/\\w+)/src/main/.*");
    private static final Pattern LINE = Pattern.compile(
            "\\bnew (ReentrantLock|ReentrantReadWriteLock|Semaphore|\\w+BlockingQueue|\\w*ThreadPoolExecutor)\\b"
                    + "|\\bsynchronized\\b *[(\\w]");

    /** Held while a database is opened, which nobody does on a timer's thread. */
    private static final Set<String> AROUND_I_O = Set.of("DatabaseAccess.java", "OwnPool.java");

    @Test
    void noGuardHasALine() throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path file : ProjectFiles.endingIn(".java")) {
            if (MODULES.matcher(file.toString()).matches()
                    && LINE.matcher(Files.readString(file)).find()) {
                found.add(file);
            }
        }
        assertThat(found)
                .extracting(file -> file.getFileName().toString())
                .containsExactlyInAnyOrderElementsOf(AROUND_I_O);
    }
}
