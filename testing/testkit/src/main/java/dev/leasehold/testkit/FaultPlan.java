package dev.leasehold.testkit;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** A fault plan decides which fault befalls which message. Implementations are thread-safe. */
@FunctionalInterface
interface FaultPlan {

    /** A message is of one of these kinds. */
    enum Message {
        /** A claim. */
        CLAIM,
        /** A renewal. */
        RENEW,
        /** A release. */
        RELEASE,
        /** A withdrawal. */
        WITHDRAW,
        /** An inspection. */
        INSPECT,
        /** The breaking of a lease. */
        BREAK,
        /** A signal of either kind. */
        SIGNAL
    }

    /**
     * Decides about one message.
     *
     * @param message its kind
     * @return its fault
     */
    Fault next(Message message);

    /**
     * Returns how late late messages are. A request whose sender has given up is carried out within this time.
     *
     * @return zero or more
     */
    default Duration delay() {
        return Duration.ofMillis(60);
    }

    /** {@return how soon a sender learns that the outcome is unknown; less than {@link #delay()}} */
    default Duration senderTimeout() {
        return Duration.ofMillis(20);
    }

    /**
     * Makes no faults.
     *
     * @return the plan
     */
    static FaultPlan none() {
        return message -> Fault.NONE;
    }

    /**
     * Makes the same fault always.
     *
     * @param fault the fault
     * @return the plan
     */
    static FaultPlan always(Fault fault) {
        return message -> fault;
    }

    /**
     * Makes a plan with faults for the first few messages of one kind; none for the rest.
     *
     * @param kind which messages
     * @param faults the faults of the first message, the second, and so on
     * @return the plan
     */
    static FaultPlan script(Message kind, Fault... faults) {
        List<Fault> script = List.of(faults);
        AtomicInteger next = new AtomicInteger();
        return message -> {
            if (message != kind) {
                return Fault.NONE;
            }
            int index = next.getAndIncrement();
            return index < script.size() ? script.get(index) : Fault.NONE;
        };
    }

    /**
     * Makes faults at random. The same seed gives each kind of message the same sequence of faults.
     *
     * @param seed the seed
     * @param percent how many of a hundred messages are hit
     * @param delay how late late messages are
     * @return the plan
     */
    static FaultPlan random(long seed, int percent, Duration delay) {
        Fault[] faults = {
            Fault.LOSE_REQUEST, Fault.LOSE_ANSWER, Fault.DELAY_REQUEST, Fault.DELAY_ANSWER, Fault.REPEAT, Fault.LATE
        };
        Map<Message, Random> randoms = new EnumMap<>(Message.class);
        for (Message message : Message.values()) {
            randoms.put(message, new Random(seed * 31 + message.name().hashCode()));
        }
        return new FaultPlan() {
            @Override
            public Fault next(Message message) {
                Random random = randoms.get(message);
                return random == null || random.nextInt(100) >= percent
                        ? Fault.NONE
                        : faults[random.nextInt(faults.length)];
            }

            @Override
            public Duration delay() {
                return delay;
            }

            @Override
            public Duration senderTimeout() {
                return delay.dividedBy(2);
            }
        };
    }
}
