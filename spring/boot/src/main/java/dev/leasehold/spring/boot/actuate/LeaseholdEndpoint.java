package dev.leasehold.spring.boot.actuate;

import dev.leasehold.Leasehold;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;

/**
 * The endpoint {@code leasehold} lists the locks that are held or waited for, and breaks one where that is allowed: read-only
 * unless {@code management.endpoint.leasehold.access=unrestricted}.
 */
@Endpoint(id = "leasehold", defaultAccess = Access.READ_ONLY)
public final class LeaseholdEndpoint {

    private static final int MOST = 1000;

    private final Leasehold leasehold;

    /**
     * Makes the endpoint.
     *
     * @param leasehold whose locks it shows
     */
    public LeaseholdEndpoint(Leasehold leasehold) {
        this.leasehold = leasehold;
    }

    /**
     * Lists locks in the order of their names, a thousand at most.
     *
     * @param pattern which ones; all by default
     * @return the locks
     * @throws InvalidEndpointRequestException if no lock can have such a name
     * @throws InterruptedException if the thread is interrupted
     */
    @ReadOperation
    public Locks locks(@Nullable String pattern) throws InterruptedException {
        List<LockInfo> found = answer(() -> leasehold.locks(pattern == null ? "*" : pattern));
        return new Locks(
                found.size(),
                found.stream().limit(MOST).map(LeaseholdEndpoint::describe).toList());
    }

    /**
     * Describes one lock.
     *
     * @param name its name, which may have slashes
     * @return the lock, or null if it is neither held nor waited for
     * @throws InvalidEndpointRequestException if no lock can have such a name
     * @throws InterruptedException if the thread is interrupted
     */
    @ReadOperation
    public @Nullable Lock lock(@Selector(match = Match.ALL_REMAINING) String... name) throws InterruptedException {
        return answer(() -> leasehold.info(String.join("/", name)))
                .map(LeaseholdEndpoint::describe)
                .orElse(null);
    }

    /**
     * Breaks the lease with exactly this token, no matter who holds it.
     *
     * @param token the token that was shown
     * @param name the lock's name
     * @return whether there was such a lease
     * @throws InvalidEndpointRequestException if no lock can have such a name
     * @throws InterruptedException if the thread is interrupted
     */
    @DeleteOperation
    public Broken breakLock(long token, @Selector(match = Match.ALL_REMAINING) String... name)
            throws InterruptedException {
        return new Broken(answer(() -> leasehold.breakLock(String.join("/", name), token)));
    }

    /** A question is one to the client. */
    @FunctionalInterface
    private interface Question<T> {
        T ask() throws InterruptedException;
    }

    /** Asks a question. A name that no lock can have is the caller's mistake and not the server's. */
    private static <T> T answer(Question<T> question) throws InterruptedException {
        try {
            return question.ask();
        } catch (IllegalArgumentException e) {
            String reason = String.valueOf(e.getMessage());
            throw new InvalidEndpointRequestException(reason, reason, e);
        }
    }

    private static Lock describe(LockInfo info) {
        return new Lock(
                info.name(),
                info.holder() == null ? null : holder(info.holder()),
                info.waiters().stream().map(WaiterInfo::client).map(Client::of).toList());
    }

    private static Holder holder(HolderInfo holder) {
        Client client = holder.owner().isEmpty() ? null : Client.of(holder.client());
        return new Holder(client, Long.toString(holder.token()), holder.since(), holder.until());
    }

    /**
     * Locks are those that are held or waited for.
     *
     * @param total how many there are
     * @param locks the first thousand
     */
    public record Locks(int total, List<Lock> locks) {}

    /**
     * A lock is one that is held or waited for.
     *
     * @param name its name
     * @param holder who holds it; null for nobody
     * @param waiting who waits for it, first come first
     */
    public record Lock(String name, @Nullable Holder holder, List<Client> waiting) {}

    /**
     * A holder is a client that holds a lock.
     *
     * @param client the client; null where the lock is kept for its {@code minHold}, after its holder has ended
     * @param token the token, as text, since it is longer than numbers in a browser
     * @param since since when
     * @param until until when, unless it is renewed
     */
    public record Holder(
            @Nullable Client client,
            String token,
            @Nullable Instant since,
            @Nullable Instant until) {}

    /**
     * A client is one that holds a lock or waits for it.
     *
     * @param host its host
     * @param pid its process id
     * @param label its label
     */
    public record Client(String host, long pid, String label) {

        static Client of(dev.leasehold.inspect.ClientDescription description) {
            return new Client(description.host(), description.pid(), description.label());
        }
    }

    /**
     * A broken record says how a break has ended.
     *
     * @param broken whether there was such a lease
     */
    public record Broken(boolean broken) {}
}
