package dev.leasehold.engine;

import dev.leasehold.LockOptions;
import dev.leasehold.internal.DurationText;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Client settings are those that a client was built with. A null time or executor means the client's own. */
public record ClientSettings(
        StoreFactory store,
        String namespace,
        String label,
        @Nullable Executor executor,
        Duration storeTimeout,
        int localHandOvers,
        LockOptions options,
        @Nullable TimeSource time,
        RandomGenerator random,
        List<LeaseholdObserver> observers) {

    /** A draft collects settings, each of which is checked as it is set. */
    public static final class Draft {

        private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{0,64}");
        private static final int LONGEST_LABEL = 200;
        private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(10);
        private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);

        private @Nullable StoreFactory store;
        private String namespace = "";
        private String label = "";
        private @Nullable Executor executor;
        private Duration storeTimeout = Duration.ofSeconds(10);
        private int localHandOvers = Claim.MOST_SPARE;
        private LockOptions options = LockOptions.defaults();
        private @Nullable TimeSource time;
        private @Nullable RandomGenerator random;
        private final List<LeaseholdObserver> observers = new ArrayList<>();

        public void store(StoreFactory value) {
            store = Objects.requireNonNull(value, "store");
        }

        public void namespace(String value) {
            if (!NAMESPACE.matcher(value).matches()) {
                throw new IllegalArgumentException(
                        "namespace must be at most 64 of A-Z a-z 0-9 . _ -, but was '" + value + "'");
            }
            namespace = value;
        }

        public void label(String value) {
            if (value.length() > LONGEST_LABEL) {
                throw new IllegalArgumentException(
                        "label must be at most " + LONGEST_LABEL + " characters, but had " + value.length());
            }
            label = value;
        }

        public void executor(Executor value) {
            executor = Objects.requireNonNull(value, "executor");
        }

        public void storeTimeout(Duration value) {
            if (value.compareTo(SHORTEST_TIMEOUT) < 0 || value.compareTo(LONGEST_TIMEOUT) > 0) {
                throw new IllegalArgumentException(
                        "storeTimeout must be 10 ms to 1 hour, but was " + DurationText.of(value));
            }
            storeTimeout = value;
        }

        public void localHandOvers(int value) {
            if (value < 0 || value > Claim.MOST_SPARE) {
                throw new IllegalArgumentException(
                        "localHandOvers must be 0 to " + Claim.MOST_SPARE + ", but was " + value);
            }
            localHandOvers = value;
        }

        public void options(LockOptions value) {
            options = Objects.requireNonNull(value, "options");
        }

        public void time(TimeSource value) {
            time = Objects.requireNonNull(value, "time");
        }

        public void random(RandomGenerator value) {
            random = Objects.requireNonNull(value, "random");
        }

        public void observer(LeaseholdObserver value) {
            observers.add(Objects.requireNonNull(value, "observer"));
        }

        public ClientSettings settings() {
            if (store == null) {
                throw new IllegalStateException(
                        "no store: call uri(\"sqlite:PATH\") or store(…) on the builder before build()");
            }
            return new ClientSettings(
                    store,
                    namespace,
                    label,
                    executor,
                    storeTimeout,
                    localHandOvers,
                    options,
                    time,
                    random == null ? new SecureRandom() : random,
                    List.copyOf(observers));
        }
    }
}
