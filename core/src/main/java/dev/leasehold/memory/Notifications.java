package dev.leasehold.memory;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The notifications of a change go to the clients that it concerns other than the one that asked. They are sent after the
 * change, outside of the mutex.
 */
final class Notifications {

    record Granted(Grant grant, Duration timeLeft) {}

    record Broken(String lock, ClaimId claim) {}

    private List<Granted> granted = List.of();
    private List<Broken> broken = List.of();

    void granted(Grant grant, Duration timeLeft) {
        if (granted.isEmpty()) {
            granted = new ArrayList<>(1);
        }
        granted.add(new Granted(grant, timeLeft));
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
