package dev.leasehold.simulator;

import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.testtools.SimWorld;
import java.util.ArrayList;
import java.util.List;

/** The simulation's offices are the part of the judge that looks who leads: at most one at a time, and by its lease. After a client's close nothing may be held for it. */
final class SimOffices {

    private record Candidacy(SimProcess process, LeaderElection election) {}

    private final SimWorld world;
    private final SimJudge judge;
    private final SimNode node;
    private final SimFindings findings;
    private final List<Candidacy> all = new ArrayList<>();

    SimOffices(SimWorld world, SimJudge judge, SimNode node, SimFindings findings) {
        this.world = world;
        this.judge = judge;
        this.node = node;
        this.findings = findings;
    }

    void add(SimProcess process, LeaderElection election) {
        all.add(new Candidacy(process, election));
    }

    /** Checks that a client that was closed a lease ago has nothing in the store any more. */
    void holdsNothing(String client) {
        for (LeaseId lease : node.leasesOf(client, world.now() / 1000)) {
            findings.add("LEFTOVERS", lease + " is still held although its client was closed");
        }
    }

    void look() {
        List<Candidacy> leading = new ArrayList<>();
        for (Candidacy candidacy : all) {
            if (!candidacy.process.isCrashed() && !candidacy.process.isStopped() && leads(candidacy)) {
                leading.add(candidacy);
            }
        }
        if (leading.size() > 1) {
            findings.add("LEADERS", leading + " lead at a time");
        }
    }

    private boolean leads(Candidacy candidacy) {
        Lease lease = candidacy.election.lease().orElse(null);
        if (lease == null) {
            return false;
        }
        SimGrant grant = judge.grantOf(lease.name(), lease.token());
        if (grant == null || grant.excused) {
            return false;
        }
        if (!lease.isValid() || !node.isHeld(lease.name(), lease.token(), world.now() / 1000)) {
            findings.add("LEADERS", candidacy + " leads without its lease");
        }
        return true;
    }
}
