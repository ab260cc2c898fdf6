package dev.leasehold.testkit;

import static dev.leasehold.spi.Claim.EXCLUSIVE;
import static dev.leasehold.spi.Claim.UNLIMITED;
import static dev.leasehold.testkit.StoreClient.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Read-write rules say that readers hold beside each other, writers alone, and nobody overtakes. */
interface ReadWriteRules extends StoreRules {

    private StoreFixture readWrite() {
        return fixture().granting(UNLIMITED);
    }

    @Test
    default void readersHoldTogether() {
        String lock = readWrite().lock();
        List<StoreClient> readers = new ArrayList<>();
        List<LeaseId> leases = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            readers.add(fixture().client());
            leases.add(readers.get(i).acquire(lock, UNLIMITED).lease());
        }
        for (int i = 0; i < 4; i++) {
            assertThat(readers.get(i).has(leases.get(i))).isTrue();
            assertThat(readers.get(i).holds(lock)).isTrue();
        }
    }

    @Test
    default void aWriterKeepsReadersOut() {
        String lock = readWrite().lock();
        StoreClient writer = fixture().client();
        LeaseId lease = writer.acquire(lock).lease();
        StoreClient reader = fixture().client();
        reader.findsTaken(lock, UNLIMITED);
        writer.release(lease);
        reader.acquire(lock, UNLIMITED);
    }

    @Test
    default void aWriterWaitsForTheLastReader() {
        String lock = readWrite().lock();
        StoreClient one = fixture().client();
        LeaseId first = one.acquire(lock, UNLIMITED).lease();
        StoreClient two = fixture().client();
        LeaseId second = two.acquire(lock, UNLIMITED).lease();
        StoreClient writer = fixture().client();
        writer.findsTaken(lock, EXCLUSIVE);
        one.release(first);
        writer.findsTaken(lock, EXCLUSIVE);
        two.release(second);
        writer.acquire(lock);
    }

    @Test
    default void aWaitingWriterIsLetInByTheLastReader() {
        String lock = readWrite().lock();
        StoreClient one = fixture().client();
        LeaseId first = one.acquire(lock, UNLIMITED).lease();
        StoreClient two = fixture().client();
        LeaseId second = two.acquire(lock, UNLIMITED).lease();
        StoreClient writer = fixture().client();
        Claim claim = writer.join(lock, EXCLUSIVE);
        two.release(second);
        assertThat(writer.holds(lock)).isFalse();
        one.release(first);
        fixture().handedOver(lock, writer);
        assertThat(writer.holds(lock)).isTrue();
        writer.granted(claim);
    }

    @Test
    default void aWaitingWriterStopsLaterReaders() {
        String lock = readWrite().lock();
        StoreClient reader = fixture().client();
        LeaseId first = reader.acquire(lock, UNLIMITED).lease();
        StoreClient writer = fixture().client();
        Claim writing = writer.join(lock, EXCLUSIVE);
        StoreClient late = fixture().client();
        late.findsTaken(lock, UNLIMITED);
        Claim waiting = late.newClaim(lock, UNLIMITED, LONG, true);
        assertThat(late.busy(waiting).place()).isEqualTo(2);
        reader.release(first);
        LeaseId written = writer.granted(writing).lease();
        late.busy(waiting);
        writer.release(written);
        late.granted(waiting);
    }

    @Test
    default void adjacentReadersComeInTogether() {
        String lock = readWrite().lock();
        StoreClient writer = fixture().client();
        LeaseId written = writer.acquire(lock).lease();
        StoreClient one = fixture().client();
        Claim first = one.join(lock, UNLIMITED);
        StoreClient two = fixture().client();
        Claim second = two.join(lock, UNLIMITED);
        StoreClient next = fixture().client();
        Claim writing = next.join(lock, EXCLUSIVE);
        StoreClient three = fixture().client();
        Claim third = three.join(lock, UNLIMITED);
        writer.release(written);
        fixture().handedOver(lock, one);
        fixture().handedOver(lock, two);
        assertThat(one.holds(lock)).isTrue();
        assertThat(two.holds(lock)).isTrue();
        assertThat(next.holds(lock)).isFalse();
        assertThat(three.holds(lock)).isFalse();
        LeaseId firstRead = one.granted(first).lease();
        LeaseId secondRead = two.granted(second).lease();
        three.busy(third);
        one.release(firstRead);
        next.busy(writing);
        two.release(secondRead);
        next.granted(writing);
        three.busy(third);
    }

    @Test
    default void aWithdrawnWriterLetsTheReadersBehindItIn() {
        String lock = readWrite().lock();
        fixture().client().acquire(lock, UNLIMITED);
        StoreClient writer = fixture().client();
        Claim writing = writer.join(lock, EXCLUSIVE);
        StoreClient reader = fixture().client();
        Claim reading = reader.join(lock, UNLIMITED);
        writer.withdraw(writing);
        fixture().handedOver(lock, reader);
        assertThat(reader.holds(lock)).isTrue();
        reader.granted(reading);
    }

    @Test
    default void aWriterThatWentSilentStopsNobody() {
        String lock = readWrite().lock();
        fixture().client().acquire(lock, UNLIMITED);
        StoreClient writer = fixture().client();
        writer.join(lock, EXCLUSIVE, StoreClient.SHORT);
        StoreClient reader = fixture().client();
        Claim reading = reader.newClaim(lock, UNLIMITED, LONG, true);
        fixture().eventually("the reader passes", () -> reader.ask(reading) instanceof ClaimAnswer.Granted);
        // The masters of a quorum forget the writer one after the other: the first reader needs a majority only.
        StoreClient next = fixture().client();
        Claim besides = next.newClaim(lock, UNLIMITED, LONG, true);
        fixture().eventually("the next one, too", () -> next.ask(besides) instanceof ClaimAnswer.Granted);
    }

    @Test
    default void tokensIncreaseThroughReadersAndWriters() {
        String lock = readWrite().lock();
        StoreClient writer = fixture().client();
        ClaimAnswer.Granted first = writer.granted(writer.newClaim(lock, LONG, false));
        writer.release(first.lease());
        long last = first.lease().token() + first.spare();
        StoreClient one = fixture().client();
        ClaimAnswer.Granted read = one.acquire(lock, UNLIMITED);
        assertThat(read.spare()).isZero();
        assertThat(read.slot()).isEqualTo(dev.leasehold.spi.Grant.NO_SLOT);
        assertThat(read.lease().token()).isGreaterThan(last);
        StoreClient two = fixture().client();
        ClaimAnswer.Granted beside = two.acquire(lock, UNLIMITED);
        assertThat(beside.lease().token()).isNotEqualTo(read.lease().token()).isGreaterThan(last);
        one.release(read.lease());
        two.release(beside.lease());
        assertThat(writer.acquire(lock).lease().token())
                .isGreaterThan(Math.max(read.lease().token(), beside.lease().token()));
    }

    @Test
    default void allReadersAreShown() {
        String lock = readWrite().lock();
        StoreClient one = fixture().client();
        LeaseId first = one.acquire(lock, UNLIMITED).lease();
        StoreClient two = fixture().client();
        LeaseId second = two.acquire(lock, UNLIMITED).lease();
        StoreClient writer = fixture().client();
        writer.join(lock, EXCLUSIVE);
        StoreClient late = fixture().client();
        late.join(lock, UNLIMITED);
        LockInfo info = one.info(lock);
        assertThat(info.holders()).extracting(HolderInfo::token).containsExactly(first.token(), second.token());
        assertThat(info.holders()).extracting(HolderInfo::owner).containsExactly(one.owner, two.owner);
        assertThat(info.holders()).allSatisfy(holder -> {
            assertThat(holder.share()).isEqualTo(UNLIMITED);
            assertThat(holder.slot()).isEmpty();
        });
        assertThat(info.waiters()).extracting(waiter -> waiter.share()).containsExactly(EXCLUSIVE, UNLIMITED);
    }

    @Test
    default void aRepeatedClaimOfAReaderIsAnsweredAlike() {
        String lock = readWrite().lock();
        StoreClient reader = fixture().client();
        Claim claim = reader.newClaim(lock, UNLIMITED, LONG, false);
        LeaseId lease = reader.granted(claim).lease();
        assertThat(reader.granted(claim).lease()).isEqualTo(lease);
        assertThat(reader.holders(lock)).hasSize(1);
        reader.release(lease);
        assertThat(reader.shows(lock)).isFalse();
    }
}
