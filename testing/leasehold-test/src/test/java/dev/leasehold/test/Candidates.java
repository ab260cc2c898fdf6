package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.ElectionOptions;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The candidates of one test are each a client of the same store in memory, on the same virtual time. */
final class Candidates implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(30);

    final VirtualTime time = new VirtualTime();
    private final StoreFactory store = memory();
    private final List<Candidate> all = new ArrayList<>();

    private static StoreFactory memory() {
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("memory"))
                .findFirst()
                .orElseThrow()
                .create(StoreUri.parse("memory:"));
    }

    /** One that does not campaign yet. */
    Candidate candidate(String name) {
        return candidate(name, ElectionOptions.ofLease(LEASE));
    }

    Candidate candidate(String name, ElectionOptions options) {
        Candidate candidate = new Candidate(name, store, time, options);
        all.add(candidate);
        return candidate;
    }

    /** One that is elected at once. */
    Candidate leader(String name) {
        Candidate candidate = candidate(name);
        candidate.election.start();
        assertThat(candidate.election.isLeader()).isTrue();
        return candidate;
    }

    /** Starts a candidate that campaigns behind others. */
    Candidate waiting(String name) {
        Candidate candidate = candidate(name);
        candidate.election.start();
        assertThat(candidate.election.isLeader()).isFalse();
        return candidate;
    }

    /** Nobody stands any more; the store can be reached. */
    void endCampaigns() {
        all.forEach(candidate -> candidate.line.down(false));
        all.forEach(candidate -> candidate.election.close());
    }

    @Override
    public void close() {
        all.forEach(candidate -> candidate.line.down(false));
        // What is still to be released is repeated in virtual time.
        time.advance(LEASE);
        all.forEach(Candidate::close);
    }
}
