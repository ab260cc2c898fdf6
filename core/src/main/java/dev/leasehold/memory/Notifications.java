package dev.leasehold.memory;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a change means for clients other than the one that asked. Told after the change, outside every lock. */
final class Notifications {

    record Granted(LeaseId lease, int spare, Duration timeLeft) {}

    record Broken(String lock, ClaimId claim) {}

    private List<Granted> granted = List.of();
    private List<Broken> broken = List.of();

    void granted(LeaseId lease, int spare, Duration timeLeft) {
        if (granted.isEmpty()) {
            granted = new ArrayList<>(1);
        }
        granted.add(new Granted(lease, spare, timeLeft));
    }

    void broken(String lock, ClaimId claim) {
        if (broken.isEmpty()) {
            broken = new ArrayList<>(1);
        }
        broken.add(new Broken(lock, claim));
    }

    List<Granted> granted() {
        return granted;
    }

    List<Broken> broken() {
        return broken;
    }
}
