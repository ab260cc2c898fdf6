package dev.leasehold.engine;

import dev.leasehold.DistributedLock;
import dev.leasehold.DistributedReadWriteLock;
import dev.leasehold.DistributedSemaphore;
import dev.leasehold.ElectionOptions;
import dev.leasehold.LockOptions;
import dev.leasehold.ReentrantDistributedLock;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.NamePattern;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A client view is a client whose locks all begin with a prefix: {@code tenant:}, or {@code region:tenant:} for a view of a
 * view. The client itself is the view with none. A namespace has no colon, so two views of one client have no lock in common
 * unless one is a view of the other.
 *
 * @param client the client
 * @param prefix what the names of locks begin with
 * @param namespace the client's namespace and the view's own, for people
 */
public record ClientView(Client client, String prefix, String namespace) {

    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final char END = ':';

    public ClientView(Client client) {
        this(client, "", client.settings().namespace());
    }

    public ClientView prefixed(String inner) {
        if (!NAMESPACE.matcher(inner).matches()) {
            throw new IllegalArgumentException(
                    "a prefix must be 1 to 64 of A-Z a-z 0-9 . _ -, but was '" + inner + "'");
        }
        String outer = namespace;
        return new ClientView(client, prefix + inner + END, outer.isEmpty() ? inner : outer + END + inner);
    }

    public boolean isWhole() {
        return prefix.isEmpty();
    }

    public LockName name(String own) {
        if (own.isEmpty()) {
            LockNames.checked(own);
        }
        return new LockName(LockNames.checked(prefix + own), own, namespace);
    }

    public DistributedLock lock(String own, LockOptions options) {
        LockName name = checked(own, options);
        return new ClientLock(client, name, Claim.EXCLUSIVE, options);
    }

    public DistributedSemaphore semaphore(String own, int permits, LockOptions options) {
        if (permits < 2 || permits > Claim.MOST_PERMITS) {
            throw new IllegalArgumentException("a semaphore must have 2 to " + Claim.MOST_PERMITS + " permits, but had "
                    + permits + (permits == 1 ? "; one permit is a lock" : ""));
        }
        LockName name = checked(own, options);
        client.checkShare(permits, "semaphores");
        return new ClientLock(client, name, permits, options);
    }

    public DistributedReadWriteLock readWriteLock(String own, LockOptions options) {
        LockName name = checked(own, options);
        checkReaders();
        return new ClientReadWriteLock(
                new ClientLock(client, name, Claim.UNLIMITED, options),
                new ClientLock(client, name, Claim.EXCLUSIVE, options));
    }

    public void checkReaders() {
        client.checkShare(Claim.UNLIMITED, "readers");
    }

    public ReentrantDistributedLock reentrantLock(String own, LockOptions options) {
        LockName name = checked(own, options);
        return new ThreadLock(client, client.threadHolds(), name, options);
    }

    private LockName checked(String own, LockOptions options) {
        client.checkOpen();
        client.check(options);
        return name(own);
    }

    public ElectionOptions electionOptions() {
        return ElectionOptions.ofLease(client.settings().options().leaseDuration());
    }

    /** Lists what a pattern of users' names means. A prefix has no character that is special in a pattern. */
    public List<LockInfo> inspect(String pattern) throws InterruptedException {
        NamePattern own = NamePattern.of(pattern);
        return client.inspect(isWhole() ? own : NamePattern.of(prefix + pattern)).stream()
                .map(this::own)
                .toList();
    }

    public Optional<LockInfo> info(String own) throws InterruptedException {
        return client.inspect(NamePattern.ofName(name(own).full())).stream()
                .map(this::own)
                .findFirst();
    }

    public boolean breakLock(String own, long token) throws InterruptedException {
        return client.breakLock(name(own).full(), token);
    }

    private LockInfo own(LockInfo info) {
        return isWhole() ? info : info.named(info.name().substring(prefix.length()));
    }

    @Override
    public String toString() {
        return isWhole() ? client.toString() : client + ", names " + prefix + "…";
    }
}
