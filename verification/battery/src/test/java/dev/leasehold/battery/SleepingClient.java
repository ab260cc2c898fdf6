package dev.leasehold.battery;

import java.io.IOException;

/** A sleeping client is a process that asks no store for anything, and ends with its standard input. */
final class SleepingClient {

    private SleepingClient() {}

    /**
     * Waits.
     *
     * @param args as {@link ClientMain} takes them
     */
    public static void main(String[] args) throws IOException {
        while (System.in.read() >= 0) {
            // Nothing is ordered.
        }
    }
}
