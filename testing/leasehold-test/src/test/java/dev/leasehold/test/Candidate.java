package dev.leasehold.test;

import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.StoreFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A candidate with a client and a line to the store of its own, and what its listener was told. */
final class Candidate implements AutoCloseable {

    final SwitchableStore line;
    final Leasehold client;
    final LeaderElection election;
    final List<String> told = new CopyOnWriteArrayList<>();
    final List<Long> terms = new CopyOnWriteArrayList<>();

    Candidate(String name, StoreFactory store, VirtualTime time, ElectionOptions options) {
        line = new SwitchableStore(store, lock -> {});
        client = Leasehold.builder()
                .store(line)
                .label(name)
                .timeSource(time)
                .executor(Runnable::run)
                .build();
        election = client.election("office", options);
        election.addListener(new ElectionListener() {
            @Override
            public void elected(Lease lease) {
                terms.add(lease.token());
                told.add("elected " + terms.size());
            }

            @Override
            public void demoted(Lease lease) {
                told.add("demoted " + (terms.indexOf(lease.token()) + 1));
            }
        });
    }

    Lease lease() {
        return election.lease().orElseThrow();
    }

    @Override
    public void close() {
        client.close();
    }
}
