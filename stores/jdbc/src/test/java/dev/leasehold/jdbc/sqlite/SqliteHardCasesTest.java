package dev.leasehold.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.jdbc.SettableClock;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * These tests are about files that are missing, in the way, foreign, locked, full or gone: a clear answer, and nothing
 * damaged.
 */
@Tag("slow")
class SqliteHardCasesTest {

    @TempDir
    Path directory;

    @Test
    void whatIsMissingIsMadeForItsOwnerOnly() throws IOException {
        assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
        Path file = directory.resolve("new/deep/locks.db");
        try (TestClient client = client(file)) {
            client.acquire("a");
            for (Path made : List.of(directory.resolve("new"), directory.resolve("new/deep"))) {
                assertThat(permissions(made)).isEqualTo("rwx------");
            }
            for (String suffix : List.of("", "-wal", "-shm")) {
                assertThat(permissions(Path.of(file + suffix))).isEqualTo("rw-------");
            }
        }
    }

    @Test
    void anyCharacterOfAPathIsJustACharacter() {
        Path file = directory.resolve("a b%20#;&=\u00e9'\".db");
        try (TestClient client = client(file)) {
            client.acquire("a");
            assertThat(file).exists();
        }
    }

    @Test
    void aDirectoryIsRefused() {
        refused(directory, "is a directory");
    }

    @Test
    void aFileInPlaceOfADirectoryIsRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");
        refused(file.resolve("locks.db"), "cannot be created");
    }

    /** SQLite's log stands beside the name: under each name there would be a holder. */
    @Test
    void aSecondNameOfAFileIsRefused() throws IOException {
        Path file = directory.resolve("locks.db");
        try (TestClient client = client(file)) {
            client.acquire("a");
            refused(Files.createLink(directory.resolve("second.db"), file), "2 names (hard links)");
        }
        Files.delete(directory.resolve("second.db"));
        try (TestClient client = client(file)) {
            client.acquire("b");
        }
    }

    @Test
    void aLinkToNothingIsRefused() throws IOException {
        refused(Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nothing")), "link to nothing");
        assertThat(directory.resolve("nothing")).doesNotExist();
    }

    @Test
    void aFileThatIsNoDatabaseIsRefusedAndNotChanged() throws IOException {
        Path file = Files.writeString(directory.resolve("letter.txt"), "Dear reader,\n".repeat(500));
        byte[] before = Files.readAllBytes(file);
        refused(file, "is not a SQLite database");
        assertThat(file).hasBinaryContent(before);
    }

    @Test
    void anotherApplicationsDatabaseIsRefusedAndNotChanged() throws Exception {
        Path file = directory.resolve("app.db");
        execute(file, "CREATE TABLE customer (name TEXT)");
        byte[] before = Files.readAllBytes(file);
        refused(file, "another application's SQLite database");
        assertThat(file).hasBinaryContent(before);
        assertThat(directory.resolve("app.db-wal")).doesNotExist();
    }

    @Test
    @DisplayName("A database that another application has marked is refused even if empty")
    void anEmptyDatabaseOfAnotherApplicationIsRefused() throws Exception {
        for (String mark : List.of("application_id", "user_version")) {
            Path file = directory.resolve(mark + ".db");
            execute(file, "PRAGMA " + mark + " = 42");
            refused(file, "another application's SQLite database");
        }
    }

    @Test
    void aLayoutOfTheFutureIsRefusedNamingBoth() throws Exception {
        Path file = directory.resolve("locks.db");
        try (TestClient client = client(file)) {
            client.acquire("a");
        }
        execute(file, "PRAGMA user_version = 7");
        refused(file, "has layout 7, and this version of Leasehold knows layout 1");
    }

    @Test
    void aLayoutThatChangesUnderAClientStopsIt() throws Exception {
        Path file = directory.resolve("locks.db");
        try (TestClient client = client(file)) {
            LeaseId lease = client.acquire("a");
            execute(file, "PRAGMA user_version = 2");
            assertThatThrownBy(() -> client.renew(lease, TestClient.LEASE)).hasMessageContaining("has layout 2");
            execute(file, "PRAGMA user_version = 1");
            assertThat(client.renew(lease, TestClient.LEASE)).isInstanceOf(RenewAnswer.Renewed.class);
        }
    }

    @Test
    void aFileLockedForLongFailsInTimeAndLeavesNothing() throws Exception {
        Path file = directory.resolve("locks.db");
        try (TestClient client = new TestClient(file, new SettableClock(), "", Duration.ofSeconds(2));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            client.release(client.acquire("a"));
            try (Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                long start = System.nanoTime();
                assertThatThrownBy(() -> client.acquire("a"))
                        .isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
                            assertThat(e.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT);
                            assertThat(e.node()).isEqualTo("sqlite:" + file);
                        })
                        .hasMessageContaining("another process keeps the store sqlite:" + file + " locked");
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1900));
                statement.execute("COMMIT");
            }
            assertThat(client.inspect("*")).isEmpty();
            client.acquire("a");
        }
    }

    @Test
    @DisplayName("A file that is locked for a moment is waited for and readers need not wait")
    void aLockedFileIsWaitedForButNotByReaders() throws Exception {
        Path file = directory.resolve("locks.db");
        try (TestClient ann = client(file);
                TestClient bob = client(file);
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            ann.release(ann.acquire("a"));
            statement.execute("BEGIN IMMEDIATE");
            CompletableFuture<?> answer = ann.store.claim(ann.newClaim("a")).toCompletableFuture();
            assertThat(bob.inspect("*")).isEmpty();
            assertThat(answer).isNotDone();
            statement.execute("COMMIT");
            assertThat(TestClient.get(answer)).isInstanceOf(Granted.class);
        }
    }

    @Test
    void whoHoldsIsToldThatTheFileWasReplaced() throws Exception {
        Path file = directory.resolve("locks.db");
        try (TestClient client = new TestClient(file, ExpiryClock.ofThisMachine())) {
            LeaseId lease = client.acquire("a");
            for (String suffix : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(Path.of(file + suffix));
            }
            assertThat(client.nextDoubt()).isEqualTo("all");
            assertThat(client.renew(lease, TestClient.LEASE)).isInstanceOf(RenewAnswer.Lost.class);
            assertThat(client.acquire("a").token()).isGreaterThan(lease.token());
        }
    }

    @Test
    void aGrantIsNeverMadeInAFileThatIsNoLongerThere() throws Exception {
        Path file = directory.resolve("locks.db");
        try (TestClient ann = client(file);
                TestClient bob = client(file)) {
            ann.release(ann.acquire("a"));
            for (String suffix : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(Path.of(file + suffix));
            }
            bob.acquire("a");
            assertThat(ann.ask(new Claim(ann.newId(), "a", TestClient.LEASE, 0, false)))
                    .isNotInstanceOf(Granted.class);
        }
    }

    @Test
    void aReadOnlyDiskIsRefused() throws Exception {
        Path mount = mount("size=1m");
        Path file = mount.resolve("locks.db");
        try {
            try (TestClient client = client(file)) {
                client.acquire("a");
            }
            run("mount", "-o", "remount,ro", mount.toString());
            refused(file, "cannot be written");
            refused(mount.resolve("other.db"), "Read-only file system");
        } finally {
            run("umount", mount.toString());
        }
    }

    @Test
    void aFullDiskFailsAndTheStoreRecovers() throws Exception {
        Path mount = mount("size=300k");
        try (TestClient client = client(mount.resolve("locks.db"))) {
            LeaseId held = client.acquire("first");
            Path filler = mount.resolve("filler");
            assertThatThrownBy(() -> Files.write(filler, new byte[400_000])).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100; i++) {
                            client.acquire("lock-" + i);
                        }
                    })
                    .isInstanceOfSatisfying(
                            StoreUnavailableException.class,
                            e -> assertThat(e).hasMessageContaining("sqlite:" + mount));
            Files.delete(filler);
            assertThat(client.renew(held, TestClient.LEASE)).isInstanceOf(RenewAnswer.Renewed.class);
            client.acquire("last");
        } finally {
            run("umount", mount.toString());
        }
    }

    @Test
    void fileSystemsOfOtherMachinesAreRefused() {
        for (String type :
                List.of("nfs", "nfs4", "CIFS", "smbfs", "9p", "fuse.sshfs", "fuse", "drvfs", "fakeowner", "virtiofs")) {
            assertThat(StoreFile.isShared(type, directory)).as(type).isTrue();
        }
        for (String type : List.of("ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "apfs", "NTFS", "fuseblk")) {
            assertThat(StoreFile.isShared(type, directory)).as(type).isFalse();
        }
        assertThat(StoreFile.isShared("NTFS", Path.of("\\\\server\\share\\locks.db")))
                .isTrue();
    }

    @Test
    void nothingIsMadeWhereOtherMachinesMayBe() {
        Path file = directory.resolve("new").resolve("locks.db");
        assertThatThrownBy(() -> new StoreFile(file).prepare(existing -> "nfs4"))
                .isInstanceOf(LockException.class)
                .hasMessageContaining("sqlite:" + file)
                .hasMessageContaining("nfs4, which other machines may use");
        assertThat(file.getParent()).doesNotExist();
    }

    private void refused(Path file, String reason) {
        try (TestClient client = client(file)) {
            assertThatThrownBy(() -> client.acquire("a"))
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("sqlite:" + file)
                    .hasMessageContaining(reason);
        }
    }

    private static TestClient client(Path file) {
        return new TestClient(file, new SettableClock());
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void execute(Path file, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Path mount(String options) throws Exception {
        Path mount = Files.createDirectory(directory.resolve("mount"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", options, "tmpfs", mount.toString()), "may mount a disk");
        return mount;
    }

    private static boolean run(String... command) throws Exception {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
