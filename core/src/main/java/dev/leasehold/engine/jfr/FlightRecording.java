package dev.leasehold.engine.jfr;

import dev.leasehold.observe.LeaseholdObserver;
import org.jspecify.annotations.Nullable;

/** FlightRecording finds what writes to the JDK's flight recorder, where this runtime has one. */
public final class FlightRecording {

    /** A recorder is an observer that has a use for calls only while something is recorded. */
    public interface Recorder extends LeaseholdObserver {

        /** Returns whether any of our events is recorded now. */
        boolean isOn();
    }

    private FlightRecording() {}

    /** Returns the recorder; null where the module {@code jdk.jfr} is missing, or is not among the resolved ones. */
    public static @Nullable Recorder find() {
        if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
            return null;
        }
        try {
            return new JfrRecorder();
        } catch (LinkageError e) {
            return null;
        }
    }
}
