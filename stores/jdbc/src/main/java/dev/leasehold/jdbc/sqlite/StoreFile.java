package dev.leasehold.jdbc.sqlite;

import dev.leasehold.LockException;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store file is the file of an embedded store: its place, not its contents.
 *
 * <p>This class must never open an existing store file. Closing any descriptor of a file drops all of the process's POSIX
 * locks on it, SQLite's among them, and then two processes can write at the same time. (Creating is safe: it opens the
 * file only if it was not there.)
 */
public record StoreFile(Path path) {

    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private static final boolean UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

    private static final long LONG_LOG = 64 << 20;

    /** Other machines may have files of these file systems open too. */
    private static final Set<String> NETWORK = Set.of(
            "nfs",
            "nfs3",
            "nfs4",
            "cifs",
            "smb",
            "smb2",
            "smb3",
            "smbfs",
            "afs",
            "afpfs",
            "webdav",
            "davfs",
            "ncpfs",
            "9p",
            "drvfs",
            "fakeowner",
            "fuse",
            "virtiofs",
            "vboxsf",
            "vmhgfs",
            "prl_fs",
            "ceph",
            "lustre",
            "gpfs",
            "ocfs2",
            "gfs2",
            "glusterfs",
            "beegfs",
            "pvfs2",
            "orangefs",
            "coda");

    /** These FUSE file systems count as local; Leasehold cannot see what lies behind others. */
    private static final Set<String> LOCAL_FUSE = Set.of("fuse.fuse-overlayfs", "fuse.gocryptfs", "fuse.encfs");

    /** A type finder names the type of the file system that a path is on. */
    interface TypeFinder {
        String typeOf(Path existing) throws IOException;
    }

    /** Makes sure that the file is there and may be used; what has to be made, only its owner can read. */
    void prepare() {
        prepare(existing -> Files.getFileStore(existing).type());
    }

    void prepare(TypeFinder types) {
        try {
            refuseNetwork(types);
            if (Files.isDirectory(path)) {
                throw new LockException("the store " + this + " is a directory; nothing was locked."
                        + " Name a file in it, for example sqlite:" + path.resolve("locks.db"));
            }
            if (!Files.exists(path)) {
                create();
            }
            refuseSecondName();
        } catch (IOException e) {
            throw new LockException(
                    "the store " + this + " cannot be created: " + e + "; nothing was locked."
                            + " Check that its directory exists or can be made, and may be written by this user",
                    e);
        }
    }

    /** SQLite keeps the log beside the name: under two names of one file, two logs, which know nothing of each other. */
    private void refuseSecondName() throws IOException {
        if (UNIX
                && Files.exists(path)
                && Files.getAttribute(path, "unix:nlink") instanceof Integer names
                && names > 1) {
            throw new LockException("the file of the store " + this + " has " + names
                    + " names (hard links): under each of them SQLite would keep a log of its own, and the lock would be"
                    + " granted under each; nothing was locked. Remove the others (find / -xdev -samefile " + path
                    + "), or use symbolic links");
        }
    }

    /** Returns whether SQLite's log beside it is far longer than SQLite lets it become by itself, some 4 MB. */
    boolean isLogLong() {
        return new File(path + "-wal").length() > LONG_LOG;
    }

    private void create() throws IOException {
        if (Files.isSymbolicLink(path)) {
            throw new IOException("it is a symbolic link to nothing");
        }
        Path directory = path.getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            Files.createDirectories(directory, ownerOnly("rwx------"));
        }
        try {
            Files.createFile(path, ownerOnly("rw-------"));
        } catch (FileAlreadyExistsException e) {
            // Another process was quicker.
        }
    }

    private static FileAttribute<?>[] ownerOnly(String permissions) {
        return POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private void refuseNetwork(TypeFinder types) {
        Path existing = path;
        while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        String type;
        try {
            type = types.typeOf(existing);
        } catch (IOException | SecurityException e) {
            return; // Not every sandbox shows its mounts.
        }
        if (isShared(type, path)) {
            throw new LockException(
                    "the store " + this + " is on a file system of type " + type + ", which other machines"
                            + " may use too; nothing was locked. Locks in a file hold between the processes of one machine only:"
                            + " name a file on a local disk, or use a server as the store");
        }
    }

    static boolean isShared(String type, Path path) {
        String lower = type.toLowerCase(Locale.ROOT);
        return NETWORK.contains(lower)
                || (lower.startsWith("fuse.") && !LOCAL_FUSE.contains(lower))
                || path.toString().startsWith("\\\\");
    }

    /**
     * Returns whether there is no file yet, nor anything else in its place: nobody holds a lock, and looking need not make
     * one.
     */
    boolean isMissing() {
        return Files.notExists(path, LinkOption.NOFOLLOW_LINKS) && isPlain(path.getParent());
    }

    /** Returns whether a file could be made there, so that its absence is no mistake. */
    private static boolean isPlain(@Nullable Path directory) {
        return directory == null || Files.isDirectory(directory) || Files.notExists(directory);
    }

    /**
     * Returns which file is at the path now; null where there is none. A file that was deleted or replaced has another
     * identity than the one that is open.
     */
    @Nullable Object identity() {
        try {
            Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            return key != null ? key : path;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the URL for JDBC, with the path as a URI, so that none of its characters can be taken for an option. */
    String jdbcUrl() {
        return "jdbc:sqlite:file:" + path.toUri().getRawPath() + "?mode=rw";
    }

    @Override
    public String toString() {
        return "sqlite:" + path;
    }
}
