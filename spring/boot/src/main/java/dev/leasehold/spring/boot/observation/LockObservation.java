package dev.leasehold.spring.boot.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * A lock observation is one of two: one for the time until a lock was had or not, one for the time that it was held.
 */
public enum LockObservation implements ObservationDocumentation {

    /** From asking for a lock to having it, or not. */
    ACQUIRE {
        @Override
        public String getName() {
            return "leasehold.acquire";
        }
    },

    /** From having a lock to its end. */
    HOLD {
        @Override
        public String getName() {
            return "leasehold.hold";
        }
    };

    @Override
    public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
        return DefaultLockObservationConvention.class;
    }

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return LowCardinality.values();
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return HighCardinality.values();
    }

    /** Low cardinality keys have few values, and are on metrics and traces. */
    public enum LowCardinality implements KeyName {

        /** The outcome: {@code acquired}, {@code busy}, {@code failed}, {@code withdrawn}; {@code released}, {@code lost}. */
        OUTCOME {
            @Override
            public String asString() {
                return "outcome";
            }
        },

        /** The template of the lock's name in {@code @Locked}; {@code none} for a lock that was asked for otherwise. */
        TEMPLATE {
            @Override
            public String asString() {
                return "template";
            }
        },

        /** The kind of store. */
        STORE {
            @Override
            public String asString() {
                return "store";
            }
        },

        /** The kind of sharing: {@code exclusive}, {@code permit} (of a semaphore), {@code reader}. */
        MODE {
            @Override
            public String asString() {
                return "mode";
            }
        }
    }

    /** High cardinality keys have many values, and are on traces only. */
    public enum HighCardinality implements KeyName {

        /** The lock's name. */
        LOCK {
            @Override
            public String asString() {
                return "lock";
            }
        },

        /** The fencing token. */
        TOKEN {
            @Override
            public String asString() {
                return "token";
            }
        },

        /** The slot of a permit. */
        SLOT {
            @Override
            public String asString() {
                return "slot";
            }
        }
    }
}
