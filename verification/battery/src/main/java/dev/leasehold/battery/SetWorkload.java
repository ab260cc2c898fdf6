package dev.leasehold.battery;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The set workload (the "lock set" of the command) shows what a lock with a time limit is worth to a resource: a set outside
 * the store is read, changed and written under the lock, and the process that has just read is stopped until another one has the lock.
 * Lost is an update that was acknowledged and is not in the set.
 */
final class SetWorkload {

    /**
     * An outcome is what came of a run.
     *
     * @param shared whether readers took part
     */
    record Outcome(Plan plan, Guard guard, boolean shared, GuardedSet.Counts counts, int pauses) {

        /**
         * Returns whether it is as it has to be: registered tokens lose nothing, and without them something is lost, or the
         * run shows nothing.
         */
        boolean isAsExpected() {
            return guard == Guard.REGISTERED ? counts.lost() + counts.torn() == 0 : counts.lost() > 0;
        }
    }

    private static final long ENDING_SECONDS = 20;

    private final Plan plan;
    private final GuardedSet set;
    private final Random random;
    private final List<ClientProcess> clients = new ArrayList<>();
    private int pauses;

    private SetWorkload(Plan plan, Guard guard) {
        this.plan = plan;
        this.set = new GuardedSet(guard);
        this.random = new Random(plan.seed());
    }

    /** Carries a plan out; its fault is the pause, whatever it says. */
    static Outcome of(Plan plan, Guard guard, boolean shared, PrintStream out) throws Exception {
        SetWorkload run = new SetWorkload(plan, guard);
        run.carryOut(shared);
        Outcome outcome = new Outcome(plan, guard, shared, run.set.counts(), run.pauses);
        out.println(SetWorkloadReport.line(outcome));
        return outcome;
    }

    private void carryOut(boolean shared) throws Exception {
        Path logs = Files.createDirectories(plan.directory().resolve("history"));
        try (StoreUnderTest store = plan.store().start(plan.directory(), Fault.STOP);
                GuardedSetServer server = new GuardedSetServer(set)) {
            plan.peer().prepare(plan.store(), store.uri());
            List<String> more = List.of(Integer.toString(server.port()), Boolean.toString(shared));
            for (int i = 1; i <= plan.clients(); i++) {
                clients.add(ClientProcess.start(
                        "client-" + i, store.way(), plan, random.nextLong(), logs, SetWorkloadMain.class, more));
            }
            set.awaitWrite(60_000);
            long end = System.nanoTime() + plan.duration().toNanos();
            while (System.nanoTime() - end < 0) {
                pause();
            }
            clients.forEach(ClientProcess::finish);
            for (ClientProcess client : clients) {
                client.hasEndedWithin(ENDING_SECONDS);
            }
        } finally {
            clients.forEach(ClientProcess::close);
        }
    }

    /** Stops a process that has just read, until another one has read after it, or also has written. */
    private void pause() throws Exception {
        long timeoutMillis =
                plan.store().recovery(plan.lease()).toMillis() + plan.lease().toMillis();
        Optional<String> reader = set.awaitOpen(timeoutMillis);
        Optional<ClientProcess> holder = clients.stream()
                .filter(client -> client.name().equals(reader.orElse("")))
                .findFirst();
        if (holder.isEmpty()) {
            return;
        }
        holder.get().fallAsleep();
        pauses++;
        if (set.awaitRead(timeoutMillis) && random.nextInt(3) == 0) {
            set.awaitWrite(timeoutMillis);
        }
        holder.get().signal("CONT");
        set.awaitWrite(timeoutMillis);
        Thread.sleep(random.nextInt(300));
    }
}
