package dev.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Ids are equal if all their parts are. */
class LeaseIdTest {

    private static final ClaimId CLAIM = new ClaimId("client", 1);
    private static final LeaseId LEASE = new LeaseId("lock", CLAIM, 7);

    @Test
    void aClaimIsTheSameWithTheSameClientAndCounter() {
        assertThat(CLAIM)
                .isEqualTo(new ClaimId(new String("client"), 1))
                .hasSameHashCodeAs(new ClaimId("client", 1))
                .isNotEqualTo(new ClaimId("other", 1))
                .isNotEqualTo(new ClaimId("client", 2))
                .isNotEqualTo(CLAIM.toString());
    }

    @Test
    void aLeaseIsTheSameWithTheSameLockClaimAndToken() {
        assertThat(LEASE)
                .isEqualTo(new LeaseId("lock", new ClaimId("client", 1), 7))
                .hasSameHashCodeAs(new LeaseId("lock", new ClaimId("client", 1), 7))
                .isNotEqualTo(new LeaseId("other", CLAIM, 7))
                .isNotEqualTo(new LeaseId("lock", new ClaimId("client", 2), 7))
                .isNotEqualTo(new LeaseId("lock", CLAIM, 8))
                .isNotEqualTo(LEASE.toString());
    }
}
