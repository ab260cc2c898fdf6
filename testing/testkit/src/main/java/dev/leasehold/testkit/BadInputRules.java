package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.inspect.LockInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Bad input rules say that bad input is refused before anything is sent; odd input is not bad input. */
interface BadInputRules extends LeaseholdRules {

    @Test
    default void namesThatNoStoreCouldKeepAreRefused() {
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        Leasehold client = fixture().client();
        for (String name : List.of(
                "",
                "a\0b",
                "\0",
                "\ud83d",
                "\ude00",
                "a\ud83db",
                "\ude00\ud83d",
                "x".repeat(513),
                "é".repeat(257),
                "x".repeat(10_000))) {
            assertThatThrownBy(() -> client.lock(name)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.lock(name, LockOptions.defaults()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.reentrantLock(name)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.breakLock(name, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    default void oddNamesAreLocksLikeOthers() throws Exception {
        String namespace = UUID.randomUUID().toString();
        Leasehold client = fixture().client(builder -> builder.namespace(namespace));
        List<String> names = NameRules.oddNames();
        List<Lease> held = new ArrayList<>(); // One that nobody refers to is not renewed.
        for (String name : names) {
            held.add(client.lock(name).acquire());
        }
        assertThat(held).extracting(Lease::name).isEqualTo(names);
        assertThat(client.locks("*")).extracting(LockInfo::name).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    default void leasesOutOfRangeAreRefused() {
        Leasehold client = fixture().client();
        Duration most = fixture().probe().store.maxLease();
        for (Duration lease : List.of(
                Duration.ZERO,
                Duration.ofSeconds(-1),
                Duration.ofNanos(1),
                Duration.ofMillis(99),
                Duration.ofDays(36_501),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> client.lock("x", LockOptions.defaults().withLeaseDuration(lease)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        if (most.compareTo(LockOptions.FOREVER) < 0) {
            LockOptions tooLong = LockOptions.defaults().withLeaseDuration(most.plusNanos(1));
            assertThatThrownBy(() -> client.lock("x", tooLong)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    default void extensionsOutOfRangeAreRefusedAndTheLeaseIsHeld() throws Exception {
        try (Lease lease = fixture().client().lock(fixture().lock()).acquire()) {
            for (Duration duration : List.of(
                    Duration.ZERO,
                    Duration.ofSeconds(-1),
                    Duration.ofNanos(1),
                    Duration.ofMillis(99),
                    Duration.ofDays(36_501),
                    Duration.ofSeconds(Long.MAX_VALUE))) {
                assertThatThrownBy(() -> lease.extend(duration)).isInstanceOf(IllegalArgumentException.class);
            }
            lease.ensureValid();
        }
    }

    @Test
    @SuppressWarnings("NullAway") // What a caller without a checker may do.
    default void nullIsRefusedBeforeAnythingIsSent() {
        Leasehold client = fixture().client();
        assertThatThrownBy(() -> client.lock(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.lock("x", null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.reentrantLock(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.locks(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.breakLock(null, 1)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.lock("x").tryAcquire(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.lock("x").tryAcquireAsync(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.lock("x").run(null)).isInstanceOf(NullPointerException.class);
        assertThat(fixture().probe().shows("x")).isFalse();
    }

    @Test
    default void malformedPatternsAreRefused() {
        assertThatThrownBy(() -> fixture().client().locks("a\\")).isInstanceOf(IllegalArgumentException.class);
    }
}
