package dev.leasehold.zookeeper;

import dev.leasehold.test.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.zookeeper.CreateMode;

/** A SharedWorld is what the clients of a {@link SharedSimulation} have in common: the servers, the time, chance, and a judge. */
final class SharedWorld {

    static final String LOCK = "l";
    static final String PATH = "/leasehold/locks/l";

    final SplittableRandom chance;
    final VirtualTime time = new VirtualTime();
    final ScriptedEnsemble ensemble = new ScriptedEnsemble(() -> time.now().wallMicros() / 1_000);
    final List<SharedClient> clients = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    final SharedJudge judge = new SharedJudge(time);

    /** This is true if there are no faults; then all holders have to know that they hold. */
    final boolean calm;

    /** There have been so many sessions. */
    long sessions;

    SharedWorld(long seed) {
        this.chance = new SplittableRandom(seed);
        this.calm = seed % 3 == 0;
        boolean worn = seed % 7 == 1;
        try {
            for (String path : new String[] {"/leasehold", "/leasehold/locks", PATH}) {
                ensemble.atLeader(at -> at.create(path, new byte[0], CreateMode.PERSISTENT, 0));
            }
            if (worn) {
                ensemble.atLeader(at -> {
                    at.number(PATH, Integer.MAX_VALUE - 9);
                    return at;
                });
            }
        } catch (ScriptedTree.Refused e) {
            throw new AssertionError(e);
        }
    }

    void note(String line) {
        log.add(line);
    }

    void end(long session) {
        try {
            ensemble.atLeader(at -> {
                at.end(session);
                return at;
            });
        } catch (ScriptedTree.Refused e) {
            throw new AssertionError(e);
        }
    }
}
