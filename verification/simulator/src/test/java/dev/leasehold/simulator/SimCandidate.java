package dev.leasehold.simulator;

import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A simulated candidate stands for the office, and resigns, releases or closes when it has led for a while. After the faults
 * each candidate has to be elected once more, so that an office is seen to be taken whoever leaves it.
 */
final class SimCandidate extends SimActor {

    private final SimOffices offices;
    private @Nullable Candidacy present;
    private boolean over;

    SimCandidate(
            SimMember member,
            SimFindings findings,
            SimJudge judge,
            SimOffices offices,
            String name,
            SplittableRandom chance) {
        super(member, findings, judge, name, chance);
        this.offices = offices;
    }

    /** A candidacy is one election object, from start to close, and what its listener has heard. */
    private final class Candidacy implements ElectionListener {

        private final LeaderElection election;
        private final CompletableFuture<Lease> awaited;
        private @Nullable SimHold term;
        private @Nullable Lease told;
        private long lastTerm;

        Candidacy() {
            Duration lease = Duration.ofNanos(scenario.lease);
            election = client.election(
                    SimScenario.OFFICE,
                    ElectionOptions.ofLease(lease).withMargin(lease.dividedBy(3 + chance.nextInt(30))));
            election.addListener(this);
            election.start();
            awaited = election.awaitLeadershipAsync();
            offices.add(process, election);
        }

        @Override
        public void elected(Lease lease) {
            world.note(name, "is elected", lease.token());
            if (told != null || lease.token() <= lastTerm) {
                findings.add("LISTENER", name + " is elected for " + lease + " after " + told + " or " + lastTerm);
            }
            told = lease;
            lastTerm = lease.token();
            term = judge.begins(process, clientId, lease, Claim.EXCLUSIVE, scenario.localHandOvers);
            if (term != null) {
                held.add(term);
            }
            later(chance.nextLong(scenario.lease * 3), () -> act(this, lease));
            disturb();
        }

        @Override
        public void demoted(Lease lease) {
            world.note(name, "is demoted", lease.token());
            if (told != lease || election.lease().filter(now -> now == lease).isPresent()) {
                findings.add("LISTENER", name + " is demoted from " + lease + ", but knows " + told);
            }
            told = null;
            if (term != null) {
                term.isValid();
                term.releaseCalled();
            }
            disturb();
        }
    }

    @Override
    void start() {
        later(chance.nextLong(scenario.lease), this::stand);
    }

    @Override
    boolean isIdle() {
        return gone || ((over || closing) && (present == null || present.told == null));
    }

    private void stand() {
        if (closing) {
            return;
        }
        if (present != null && present.told != null) {
            later(scenario.lease, this::stand);
            return;
        }
        world.note(name, "stands");
        present = new Candidacy();
    }

    private void act(Candidacy of, Lease lease) {
        LeaderElection election = of.election;
        if (closing || of.told != lease) {
            return;
        }
        int kind = chance.nextInt(5);
        if (world.now() >= scenario.faultsEnd) {
            over = true;
            close(election);
        } else if (kind < 2) {
            boolean led = election.isLeader();
            world.note(name, "resigns");
            if ((!election.resign() && led) || election.isLeader()) {
                findings.add("LEADERS", name + " leads although it has resigned");
            }
            later(scenario.lease / 2, () -> {
                if (election.lease().filter(now -> now == lease).isPresent()) {
                    findings.add("LEADERS", name + " leads on after it has resigned");
                }
            });
        } else if (kind == 2) {
            close(election);
            later(chance.nextLong(scenario.lease), this::stand);
        } else if (kind == 3 && of.term != null) {
            of.term.releaseCalled();
            var released = lease.releaseAsync();
            released.thenAccept(state -> world.note(name, "has released the office", state));
        } else {
            later(scenario.lease * 3, () -> act(of, lease));
        }
    }

    private void close(LeaderElection election) {
        world.note(name, "stands no longer");
        withoutWaiting(election::close);
        if (election.isLeader()) {
            findings.add("LEADERS", name + " leads after its close");
        }
    }

    @Override
    void clientIsClosed() {
        super.clientIsClosed();
        if (present != null && present.election.isLeader()) {
            findings.add("LEADERS", name + " leads although its client is closed");
        }
    }

    @Override
    void checkEnd() {
        super.checkEnd();
        if (!gone && present != null && (present.told != null || !present.awaited.isDone())) {
            findings.add("LISTENER", name + " was never told that it leads no longer, or never will");
        }
    }

    @Override
    public String toString() {
        return name + " in " + (present == null ? "no election" : present.election);
    }
}
