package dev.leasehold.testkit;

import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** A candidate has a client of its own, on a line to the store that a test can cut, and all that it says of itself. */
final class Candidate implements AutoCloseable {

    private static final int MOST_ATTEMPTS = 5;

    final String name;
    final FaultyStore line;
    final Leasehold client;
    final LeaderElection election;

    /** The terms that its listener heard of, and the same when they were over. */
    final List<Long> elected = new CopyOnWriteArrayList<>();

    final List<Long> demoted = new CopyOnWriteArrayList<>();

    private final Collection<HoldRecord> records = new ConcurrentLinkedQueue<>();
    private final LeadershipLog log;

    Candidate(String name, StoreFactory store, String office, ElectionOptions options) {
        this.name = name;
        line = FaultyStore.overSound(store);
        client = Leasehold.builder()
                .store(line)
                .label(name)
                .storeTimeout(Duration.ofSeconds(2))
                .build();
        election = client.election(office, options);
        election.addListener(new ElectionListener() {
            @Override
            public void elected(Lease lease) {
                elected.add(lease.token());
            }

            @Override
            public void demoted(Lease lease) {
                demoted.add(lease.token());
            }
        });
        log = new LeadershipLog(name, election, records::add);
    }

    void cutOff() {
        line.plan(FaultPlan.always(Fault.LOSE_REQUEST));
    }

    void restore() {
        line.plan(FaultPlan.none());
    }

    boolean leads() {
        return election.isLeader();
    }

    /** Returns its term, zero if it does not lead. */
    long term() {
        return election.lease().map(Lease::token).orElse(0L);
    }

    /** Returns the leader that it sees. Asks again where a machine that is busy has kept the store from answering in time. */
    Optional<HolderInfo> leaderSeen() throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return election.leader();
            } catch (StoreUnavailableException e) {
                if (attempt == MOST_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Returns whether its log, which looks now and then, has seen the term that it is in, if it is in one. */
    boolean isLogged() {
        long term = term();
        return term == 0 || log.written() == term;
    }

    /** Returns what this candidate believed, once it is closed. */
    List<HoldRecord> history() {
        return records.stream()
                .filter(record -> record.end() != HoldRecord.End.OPEN)
                .toList();
    }

    @Override
    public void close() {
        restore();
        election.close();
        log.close();
        client.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
