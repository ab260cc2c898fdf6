package dev.leasehold.testtools;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testkit.NoSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A SharedModel asks a store and the one in memory the same random operations, with all kinds of shares, and compares what they
 * answer and show. The model's time is virtual and stands still during an operation; how time passes in the store that is
 * compared is for its {@link Subject}.
 */
public final class SharedModel {

    /** The name of the lock that is asked for. */
    public static final String LOCK = "lock";

    /** A subject is the store that is compared, with what is only known where it is tested. */
    public interface Subject {

        /**
         * Opens the store for one client.
         *
         * @param context the client, with the time of the model
         * @return the store
         */
        Store open(StoreContext context);

        /**
         * Lets time pass in the store.
         *
         * @param by how much
         * @throws Exception if that fails
         */
        void advance(Duration by) throws Exception;

        /**
         * Looks at what only this kind of store has, after each step.
         *
         * @param holders who holds the lock, as the store shows it
         * @param log what was done so far, for messages
         * @throws Exception if the look fails
         */
        default void check(List<HolderInfo> holders, String log) throws Exception {}

        /**
         * {@return whether the store leaves dead waiters in its queue until they come to the front, and admits a waiter
         * that fits by now only with the next claim} Then places beyond the first are not compared, and a claim looks
         * at the lock after each pause.
         */
        default boolean isLazy() {
            return false;
        }
    }

    private static final int STEPS = 80;
    private static final int CLIENTS = 3;
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration LONGER = Duration.ofMinutes(11);
    private static final Duration BRIEF = Duration.ofSeconds(20);
    private static final Duration KEPT = Duration.ofMinutes(5);
    private static final int[] SHARES = {1, 2, 3, 3, 5, Claim.UNLIMITED, Claim.UNLIMITED};
    private static final String LEFT = "left (PT[0-9.HMS]+)";

    /** Beyond a claim period; beyond a waiter's life; beyond leases. */
    private static final int[] PAUSES = {7, 7, 7, 30, 30, 1_000};

    private final VirtualTime time = new VirtualTime();
    private final List<Store> model = new ArrayList<>();
    private final List<Store> tested = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final Map<ClaimId, LeaseId> modelLeases = new HashMap<>();
    private final Map<ClaimId, LeaseId> testedLeases = new HashMap<>();
    private final Random random;
    private final Subject subject;
    private final StringBuilder log = new StringBuilder();
    private final long began = System.nanoTime();
    private final Set<Long> tokens = new HashSet<>();
    private long greatest;
    private long claimCount;

    private SharedModel(long seed, Subject subject) {
        this.random = new Random(seed);
        this.subject = subject;
        log.append("seed ").append(seed).append('\n');
        StoreFactory memory = ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("memory"))
                .findFirst()
                .orElseThrow()
                .create(StoreUri.parse("memory:"));
        for (int i = 0; i < CLIENTS; i++) {
            model.add(memory.open(context(i)));
            tested.add(subject.open(context(i)));
        }
    }

    private StoreContext context(int client) {
        return new StoreContext("c" + client, "owner " + client, "", time, Duration.ofSeconds(20), new NoSignals());
    }

    /**
     * Plays a run from the beginning to its end, or to the first difference.
     *
     * @param seed chooses the operations
     * @param subject the store that is compared
     * @throws Exception if the subject fails
     */
    public static void play(long seed, Subject subject) throws Exception {
        SharedModel pair = new SharedModel(seed, subject);
        try {
            for (int i = 0; i < STEPS; i++) {
                pair.step();
            }
        } finally {
            pair.close();
        }
    }

    private void step() throws Exception {
        int what = random.nextInt(24);
        if (what < 7 || claims.isEmpty()) {
            ask(newClaim());
        } else if (what == 7 || what >= 20) {
            pause(Duration.ofSeconds(PAUSES[random.nextInt(PAUSES.length)]));
        } else if (what == 8) {
            breakOne();
        } else if (what == 9) {
            withdraw(claims.get(random.nextInt(claims.size())));
        } else {
            Claim claim = claims.get(random.nextInt(claims.size()));
            LeaseId ours = modelLeases.get(claim.id());
            LeaseId theirs = testedLeases.get(claim.id());
            if (what < 12 || ours == null || theirs == null) {
                askAgain(claim, 4);
            } else if (what < 15) {
                Duration keep = random.nextInt(3) == 0 ? KEPT : Duration.ZERO;
                same(
                        "release " + ours.claim() + " " + keep,
                        get(client(model, claim).release(ours, keep)),
                        get(client(tested, claim).release(theirs, keep)));
            } else if (what < 18) {
                same(
                        "renew " + claim.id(),
                        name(get(client(model, claim).renew(ours, LEASE))),
                        name(get(client(tested, claim).renew(theirs, LEASE))));
            } else {
                same(
                        "downgrade " + claim.id(),
                        name(get(client(model, claim).downgrade(ours, LONGER))),
                        name(get(client(tested, claim).downgrade(theirs, LONGER))));
            }
        }
        same("inspect", seen(model), seen(tested));
        checkTokens();
        subject.check(holders(tested), log.toString());
    }

    private Claim newClaim() {
        int share = SHARES[random.nextInt(SHARES.length)];
        ClaimId id = new ClaimId("c" + random.nextInt(CLIENTS), ++claimCount);
        Duration lease = random.nextInt(4) > 0 ? LEASE : BRIEF;
        Claim claim = new Claim(id, LOCK, share, lease, share == 1 ? 3 : 0, random.nextInt(5) > 0, Claim.UNKNOWN);
        claims.add(claim);
        return claim;
    }

    private void withdraw(Claim claim) {
        get(client(model, claim).withdraw(LOCK, claim.id()));
        get(client(tested, claim).withdraw(LOCK, claim.id()));
        log.append("withdraw ").append(claim.id()).append('\n');
        claims.remove(claim);
    }

    /** Asks again, sometimes with another share: that of its first arrival counts. */
    private void askAgain(Claim claim, int oneOf) {
        int share = random.nextInt(oneOf) > 0 ? claim.share() : SHARES[random.nextInt(SHARES.length)];
        ask(new Claim(claim.id(), LOCK, share, claim.lease(), share == 1 ? 3 : 0, claim.enqueue(), Claim.UNKNOWN));
    }

    private void ask(Claim claim) {
        ClaimAnswer ours = get(client(model, claim).claim(claim));
        ClaimAnswer theirs = get(client(tested, claim).claim(claim));
        if (ours instanceof ClaimAnswer.Granted one && theirs instanceof ClaimAnswer.Granted two) {
            modelLeases.put(claim.id(), one.lease());
            testedLeases.put(claim.id(), two.lease());
        }
        same("claim " + claim, told(ours), told(theirs));
    }

    private String told(ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            return "granted, slot " + granted.slot() + ", spare " + granted.spare();
        }
        ClaimAnswer.Busy busy = (ClaimAnswer.Busy) answer;
        boolean isLazy = subject.isLazy();
        // Of two that end at once either may be named.
        return "busy at " + (isLazy ? Math.min(2, busy.place()) : busy.place())
                + (busy.holder() == null ? " by nobody" : " by somebody")
                + (busy.timeLeft() == null || (isLazy && busy.place() > 1) ? "" : ", left " + busy.timeLeft());
    }

    private void breakOne() {
        List<HolderInfo> ours = holders(model);
        List<HolderInfo> theirs = holders(tested);
        if (!ours.isEmpty() && ours.size() == theirs.size()) {
            int which = random.nextInt(ours.size());
            same(
                    "break",
                    get(model.get(0).breakLease(LOCK, ours.get(which).token())),
                    get(tested.get(0).breakLease(LOCK, theirs.get(which).token())));
        }
    }

    private void pause(Duration by) throws Exception {
        log.append("advance ").append(by).append('\n');
        time.advance(by);
        subject.advance(by);
        if (subject.isLazy()) {
            look();
        }
    }

    private void look() {
        // One that holds the lock is answered without a look at those who wait.
        List<Claim> waiting = claims.stream()
                .filter(claim -> !modelLeases.containsKey(claim.id()))
                .toList();
        if (!waiting.isEmpty() && random.nextBoolean()) {
            askAgain(waiting.get(random.nextInt(waiting.size())), 2);
            return;
        }
        Claim look = new Claim(new ClaimId("c0", ++claimCount), LOCK, Claim.EXCLUSIVE, LEASE, 0, false, Claim.UNKNOWN);
        same("look", told(get(model.get(0).claim(look))), told(get(tested.get(0).claim(look))));
        get(model.get(0).withdraw(LOCK, look.id()));
        get(tested.get(0).withdraw(LOCK, look.id()));
    }

    /** Checks that no two have the same token, and those who have come in since have greater ones than all before. */
    private void checkTokens() {
        List<Long> found = holders(tested).stream().map(HolderInfo::token).toList();
        assertThat(found).as("%s", log).doesNotHaveDuplicates();
        assertThat(found)
                .as("%s", log)
                .allMatch(token -> token > greatest || tokens.contains(token), "is known or above " + greatest);
        tokens.addAll(found);
        greatest = tokens.isEmpty() ? 0 : Collections.max(tokens);
    }

    private static List<HolderInfo> holders(List<Store> stores) {
        List<LockInfo> all = get(stores.get(0).inspect(NamePattern.of(LOCK)));
        return all.isEmpty() ? List.of() : all.get(0).holders();
    }

    private static String seen(List<Store> stores) {
        StringBuilder text = new StringBuilder();
        for (LockInfo lock : get(stores.get(0).inspect(NamePattern.of(LOCK)))) {
            lock.holders().forEach(holder -> text.append(seen(holder)).append("; "));
            lock.waiters()
                    .forEach(each -> text.append(each.place())
                            .append(" waits ")
                            .append(each.owner())
                            .append(" with ")
                            .append(each.share())
                            .append("; "));
        }
        return text.toString();
    }

    private static String seen(HolderInfo holder) {
        return "'" + holder.owner() + "' with " + holder.share() + " slot " + holder.slot() + ", left "
                + holder.timeLeft();
    }

    private static String name(Object answer) {
        return answer.getClass().getSimpleName();
    }

    private Store client(List<Store> stores, Claim claim) {
        return stores.get(Integer.parseInt(claim.id().client().substring(1)));
    }

    private void same(String what, Object expected, Object found) {
        log.append(what).append(": ").append(expected).append('\n');
        assertThat(found.toString().replaceAll(LEFT, "left"))
                .as("%s", log)
                .isEqualTo(expected.toString().replaceAll(LEFT, "left"));
        List<Duration> theirs = lefts(found);
        List<Duration> ours = lefts(expected);
        // The model's time stands still while the tested store answers.
        Duration tolerance = Duration.ofNanos(System.nanoTime() - began).plusSeconds(1);
        for (int i = 0; i < ours.size(); i++) {
            assertThat(theirs.get(i)).as("%s", log).isCloseTo(ours.get(i), tolerance);
        }
    }

    private static List<Duration> lefts(Object answer) {
        return Pattern.compile(LEFT)
                .matcher(answer.toString())
                .results()
                .map(each -> Duration.parse(each.group(1)))
                .toList();
    }

    private void close() {
        model.forEach(Store::close);
        tested.forEach(Store::close);
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(A_MINUTE, TimeUnit.SECONDS).join();
    }
}
