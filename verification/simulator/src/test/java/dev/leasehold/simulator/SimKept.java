package dev.leasehold.simulator;

import dev.leasehold.spi.Claim;
import java.util.Collection;
import java.util.List;

/**
 * The simulation's kept locks are the part of the judge that looks whether a lock stayed taken for at least as long as its
 * holder had asked for.
 */
final class SimKept {

    private final SimScenario scenario;
    private final SimFindings findings;

    SimKept(SimScenario scenario, SimFindings findings) {
        this.scenario = scenario;
        this.findings = findings;
    }

    /** Notes that a hold was released in time: its lock has to stay taken for a while. */
    void keeps(SimHold hold, long minHold) {
        if (scenario.calm && minHold > 0) {
            hold.grant().keepUntil(hold.grant().at + minHold - minHold / 50);
        }
    }

    /** Looks at the grants of one lock, in the order of their tokens. */
    void check(Collection<SimGrant> known) {
        if (scenario.shared) {
            checkShared(known);
            return;
        }
        SimGrant before = null;
        for (SimGrant grant : known) {
            if (before != null && grant.at < before.keptUntil) {
                findings.add(
                        "AT LEAST",
                        grant.lease + " was granted " + (before.keptUntil - grant.at) / 1000 + " µs too early after "
                                + before.lease);
            }
            before = grant;
        }
    }

    /** Looks among shared grants: a kept lease takes a place. */
    private void checkShared(Collection<SimGrant> known) {
        for (SimGrant grant : known) {
            List<SimGrant> beside = known.stream()
                    .filter(other -> other.at < grant.at && grant.at < other.keptUntil)
                    .toList();
            long most = beside.stream().mapToLong(other -> other.share).min().orElse(Claim.UNLIMITED);
            if (beside.size() >= Math.min(most, grant.share)) {
                findings.add("AT LEAST", grant.lease + " was granted beside kept ones: " + beside);
            }
        }
    }
}
