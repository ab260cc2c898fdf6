package dev.leasehold.engine.set;

import dev.leasehold.LeaseSet;
import dev.leasehold.LockOptions;
import dev.leasehold.LockSet;
import dev.leasehold.engine.Client;
import dev.leasehold.engine.ClientView;
import dev.leasehold.engine.LeaseScope;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A client lock set is the API's set: its members in their order, options, and the client that obtains them. */
public final class ClientLockSet implements LockSet {

    private final ClientView view;
    private final Client client;
    private final List<Member> members;
    private final LockOptions options;

    private ClientLockSet(ClientView view, List<Member> members, LockOptions options) {
        this.view = view;
        this.client = view.client();
        this.members = members;
        this.options = options;
    }

    /** Makes a set without names, with the client's default options. */
    public ClientLockSet(ClientView view) {
        this(view, List.of(), view.client().settings().options());
        client.checkOpen();
    }

    @Override
    public LockSet exclusive(String... names) {
        return with(Claim.EXCLUSIVE, names);
    }

    @Override
    public LockSet shared(String... names) {
        view.checkReaders();
        return with(Claim.UNLIMITED, names);
    }

    private LockSet with(int share, String... names) {
        TreeMap<Member, Member> all = new TreeMap<>(Member.ORDER);
        members.forEach(member -> all.put(member, member));
        for (String name : names) {
            Member added = new Member(view.name(name), share);
            all.merge(added, added, Member::stricter);
        }
        return new ClientLockSet(view, List.copyOf(all.values()), options);
    }

    @Override
    public LockSet withOptions(LockOptions changed) {
        client.check(changed);
        return new ClientLockSet(view, members, changed);
    }

    @Override
    public List<String> names() {
        return members.stream().map(member -> member.name().own()).toList();
    }

    @Override
    public LockOptions options() {
        return options;
    }

    private SetAcquisition begin(@Nullable Duration maxWait, @Nullable Thread waiter) {
        client.checkOpen();
        if (members.isEmpty()) {
            throw new IllegalStateException("the set has no names: add some by exclusive(…) or shared(…)");
        }
        SetAcquisition acquisition = new SetAcquisition(client, members, options, maxWait, waiter);
        acquisition.begin();
        return acquisition;
    }

    @Override
    public LeaseSet acquire() throws InterruptedException {
        return Objects.requireNonNull(await(null));
    }

    @Override
    public Optional<LeaseSet> tryAcquire() throws InterruptedException {
        return tryAcquire(Duration.ZERO);
    }

    @Override
    public Optional<LeaseSet> tryAcquire(Duration maxWait) throws InterruptedException {
        Objects.requireNonNull(maxWait, "maxWait");
        return Optional.ofNullable(await(maxWait));
    }

    private @Nullable HeldSet await(@Nullable Duration maxWait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before " + names() + " were acquired");
        }
        SetAcquisition acquisition = begin(maxWait, Thread.currentThread());
        try {
            return acquisition.outcome.get();
        } catch (InterruptedException e) {
            acquisition.giveUp();
            throw e;
        } catch (ExecutionException e) {
            throw client.rethrown(e);
        }
    }

    @Override
    public CompletableFuture<LeaseSet> acquireAsync() {
        SetAcquisition acquisition = begin(null, null);
        return acquisition.async(Objects::requireNonNull);
    }

    @Override
    public CompletableFuture<Optional<LeaseSet>> tryAcquireAsync(Duration maxWait) {
        Objects.requireNonNull(maxWait, "maxWait");
        return begin(maxWait, null).async(Optional::ofNullable);
    }

    @Override
    public <E extends Exception> void run(Body<E> body) throws E, InterruptedException {
        Objects.requireNonNull(body, "body");
        HeldSet leases = Objects.requireNonNull(await(null));
        LeaseScope.<Boolean, E>run(leases, options.interruptOnLoss(), () -> {
            body.run(leases);
            return true;
        });
    }

    @Override
    public String toString() {
        List<String> shown = new ArrayList<>();
        members.forEach(
                member -> shown.add(member.name().own() + (member.share() == Claim.EXCLUSIVE ? "" : " (shared)")));
        return "LockSet" + shown + " in " + view;
    }
}
