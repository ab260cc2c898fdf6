package dev.leasehold.testkit;

import static dev.leasehold.spi.Claim.EXCLUSIVE;
import static dev.leasehold.spi.Claim.UNLIMITED;
import static dev.leasehold.testkit.StoreClient.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Downgrade rules say that a writer becomes a reader without letting another writer in between. */
interface DowngradeRules extends StoreRules {

    @Test
    default void aDowngradeLetsTheReadersInThatWait() {
        String lock = fixture().downgrading().lock();
        StoreClient writer = fixture().client();
        LeaseId lease = writer.acquire(lock).lease();
        StoreClient one = fixture().client();
        Claim first = one.join(lock, UNLIMITED);
        StoreClient two = fixture().client();
        Claim second = two.join(lock, UNLIMITED);
        StoreClient next = fixture().client();
        Claim writing = next.join(lock, EXCLUSIVE);
        assertThat(writer.downgrade(lease, LONG)).isInstanceOf(RenewAnswer.Renewed.class);
        fixture().handedOver(lock, one);
        fixture().handedOver(lock, two);
        assertThat(one.holds(lock)).isTrue();
        assertThat(two.holds(lock)).isTrue();
        assertThat(writer.has(lease)).isTrue();
        one.granted(first);
        two.granted(second);
        next.busy(writing);
    }

    @Test
    default void aDowngradedWriterKeepsWritersOut() {
        String lock = fixture().downgrading().lock();
        StoreClient writer = fixture().client();
        LeaseId lease = writer.acquire(lock).lease();
        writer.downgrade(lease, LONG);
        StoreClient other = fixture().client();
        other.findsTaken(lock, EXCLUSIVE);
        LeaseId read = other.acquire(lock, UNLIMITED).lease();
        writer.release(lease);
        writer.findsTaken(lock, EXCLUSIVE);
        other.release(read);
        writer.acquire(lock);
    }

    @Test
    default void aDowngradeRenews() {
        String lock = fixture().downgrading().lock();
        StoreClient writer = fixture().client();
        LeaseId lease = writer.acquire(lock, Duration.ofSeconds(5)).lease();
        RenewAnswer answer = writer.downgrade(lease, LONG);
        assertThat(answer)
                .isInstanceOfSatisfying(
                        RenewAnswer.Renewed.class,
                        renewed -> assertThat(renewed.validity()
                                        .nanosLeft(fixture().time().nanos()))
                                .isGreaterThan(LONG.dividedBy(2).toNanos()));
        RenewAnswer again = writer.downgrade(lease, Duration.ofMillis(1));
        assertThat(again)
                .isInstanceOfSatisfying(
                        RenewAnswer.Renewed.class,
                        renewed -> assertThat(renewed.validity()
                                        .nanosLeft(fixture().time().nanos()))
                                .isGreaterThan(LONG.dividedBy(2).toNanos()));
        assertThat(writer.holder(lock).share()).isEqualTo(UNLIMITED);
        assertThat(writer.holder(lock).token()).isEqualTo(lease.token());
    }

    @Test
    default void aLateDowngradeChangesNothing() {
        String lock = fixture().downgrading().lock();
        StoreClient writer = fixture().client();
        LeaseId first = writer.acquire(lock).lease();
        writer.release(first);
        assertThat(writer.downgrade(first, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        LeaseId second = writer.acquire(lock).lease();
        assertThat(writer.downgrade(first, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        LeaseId mixed = new LeaseId(lock, second.claim(), first.token());
        assertThat(writer.downgrade(mixed, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        LeaseId foreign = new LeaseId(lock, first.claim(), second.token());
        assertThat(writer.downgrade(foreign, LONG)).isInstanceOf(RenewAnswer.Lost.class);
        fixture().client().findsTaken(lock, UNLIMITED);
    }

    @Test
    default void aDowngradeIsNotTakenBackByALateClaim() {
        String lock = fixture().downgrading().lock();
        StoreClient writer = fixture().client();
        Claim claim = writer.newClaim(lock, LONG, false);
        LeaseId lease = writer.granted(claim).lease();
        writer.downgrade(lease, LONG);
        assertThat(writer.granted(claim).lease()).isEqualTo(lease);
        writer.renewed(lease, LONG);
        fixture().client().acquire(lock, UNLIMITED);
    }

    @Test
    default void aDowngradedLeaseIsBrokenByAnyTokenOfItsRun() {
        String lock = fixture().downgrading().lock();
        StoreClient writer = fixture().client();
        ClaimAnswer.Granted grant = writer.acquire(lock);
        writer.downgrade(grant.lease(), LONG);
        StoreClient reader = fixture().client();
        LeaseId read = reader.acquire(lock, UNLIMITED).lease();
        assertThat(read.token()).isGreaterThan(grant.lease().token() + grant.spare());
        assertThat(reader.breakLease(lock, grant.lease().token() + grant.spare()))
                .isTrue();
        assertThat(writer.has(grant.lease())).isFalse();
        assertThat(reader.has(read)).isTrue();
    }

    @Test
    default void aPermitIsNotDowngraded() {
        String lock = fixture().downgrading().granting(2).lock();
        StoreClient client = fixture().client();
        LeaseId permit = client.acquire(lock, 2).lease();
        assertThat(client.downgrade(permit, LONG)).isInstanceOf(RenewAnswer.Renewed.class);
        client.acquire(lock, UNLIMITED);
        client.findsTaken(lock, UNLIMITED);
    }
}
