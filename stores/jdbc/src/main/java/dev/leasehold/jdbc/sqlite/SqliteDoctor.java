package dev.leasehold.jdbc.sqlite;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;

/**
 * The SQLite doctor looks at an embedded store from outside: where its file is, who may write it, and by which clock leases
 * end. Like {@link StoreFile} it never opens the file but through SQLite.
 */
final class SqliteDoctor {

    private static final long LITTLE_SPACE = 10_000_000;
    private static final Set<String> FLEETING = Set.of("tmpfs", "ramfs");

    private final StoreFile file;
    private final ExpiryClock clock;
    private final String node;
    private final List<Finding> findings = new ArrayList<>();

    SqliteDoctor(StoreFile file, ExpiryClock clock) {
        this.file = file;
        this.clock = clock;
        node = file.toString();
    }

    List<Finding> examine() {
        try {
            place();
            if (file.isMissing()) {
                findings.add(Finding.of(Severity.NOTE, "sqlite-missing", node, "there is no file yet")
                        .meaning(
                                "the first lock makes it; if you expected one, the path differs from what the other clients use",
                                "compare the path with theirs; a relative one counts from the working directory"));
            } else {
                permissions();
                log();
                otherBoots();
            }
        } catch (IOException e) {
            findings.add(Finding.of(Severity.NOTE, "sqlite-place-not-seen", node, "its place cannot be looked at: " + e)
                    .meaning("whether other machines use it is not known", "look at its directory as its owner"));
        }
        clock();
        return findings;
    }

    private void place() throws IOException {
        Path existing = file.path();
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        FileStore disk = Files.getFileStore(existing);
        String type = disk.type();
        if (StoreFile.isShared(type, file.path())) {
            findings.add(Finding.of(Severity.SERIOUS, "sqlite-network", node, "it is on a file system of type " + type)
                    .meaning(
                            "locks in a file hold between the processes of one machine only, so it is refused",
                            "name a file on a local disk, or use a server as the store"));
        } else if (FLEETING.contains(type)) {
            findings.add(Finding.of(Severity.NOTE, "sqlite-in-memory", node, "it is on a " + type)
                    .meaning(
                            "a reboot forgets the last tokens; later ones are greater as long as the wall clock is not set back",
                            "name a file on a disk"));
        } else {
            findings.add(Finding.of(Severity.FINE, "sqlite-local", node, "it is on a local disk (" + type + ")"));
        }
        if (disk.getUsableSpace() < LITTLE_SPACE) {
            findings.add(Finding.of(Severity.WARNING, "sqlite-disk-full", node, "its disk is nearly full")
                    .meaning("when it is full nobody gets a lock, and none is renewed", "free some space"));
        }
    }

    private void log() {
        if (file.isLogLong()) {
            findings.add(Finding.of(Severity.WARNING, "sqlite-log-long", node, "the log beside it (-wal) is over 64 MB")
                    .meaning(
                            "something keeps a transaction open that reads the file, or has: the log grows by 8 KB with each lock"
                                    + " until the disk is full",
                            "end it (fuser tells who has the file open); the next locks cut the log off"));
        }
    }

    private void permissions() throws IOException {
        if (!Files.isWritable(file.path())) {
            findings.add(Finding.of(Severity.SERIOUS, "sqlite-not-writable", node, "this user may not write it")
                    .meaning("this user gets no lock", "let the user write the file and its directory"));
        }
        if (!Files.getFileStore(file.path()).supportsFileAttributeView("posix")) {
            return;
        }
        boolean everybody = Files.getPosixFilePermissions(file.path()).contains(PosixFilePermission.OTHERS_WRITE);
        findings.add(
                everybody
                        ? Finding.of(Severity.WARNING, "sqlite-open", node, "every user of this machine may write it")
                                .meaning(
                                        "every one of them can take, break and forge locks", "chmod o-w " + file.path())
                        : Finding.of(Severity.FINE, "sqlite-closed", node, "not every user may write it"));
    }

    private void clock() {
        findings.add(
                clock instanceof ExpiryClock.WallClock
                        ? Finding.of(Severity.WARNING, "sqlite-wall-clock", node, "leases end by the wall clock")
                                .meaning(
                                        "setting it forward ends them early, and the lock is granted to somebody else",
                                        "set the clock only slowly; on Linux with /proc the kernel's own clock is used")
                                .fencedOnlyAfter("the wall clock has been set")
                        : Finding.of(
                                Severity.FINE,
                                "sqlite-kernel-clock",
                                node,
                                "leases end by the kernel's clock, which nobody can set"));
    }

    /** Looks for leases of an earlier boot, or of another machine or container that has the file open. */
    private void otherBoots() {
        Object identity = file.identity();
        if (identity == null) {
            return;
        }
        OpenFiles.Entry entry = OpenFiles.enter(file, identity);
        try (entry;
                Connection connection = SqliteDriver.connect(file, new Properties());
                Statement statement = connection.createStatement()) {
            List<String> boots = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(
                    "SELECT boot FROM leasehold_lock WHERE span > 0 UNION SELECT boot FROM leasehold_holder")) {
                while (rows.next()) {
                    boots.add(rows.getString(1));
                }
            }
            boots.remove(clock.boot());
            if (!boots.isEmpty()) {
                findings.add(Finding.of(
                                Severity.NOTE,
                                "sqlite-other-boot",
                                node,
                                "it has leases of an earlier boot, or of another machine or container")
                        .meaning(
                                "they end one full lease after this boot first sees them",
                                "if another machine or container really uses the file, use a server as the store"));
            }
        } catch (SQLException e) {
            return; // No database, or not ours: the trial says so.
        }
    }
}
