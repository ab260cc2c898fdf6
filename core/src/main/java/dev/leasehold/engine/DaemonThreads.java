package dev.leasehold.engine;

import java.util.concurrent.ThreadFactory;

/** Daemon threads of one name. */
final class DaemonThreads {

    private DaemonThreads() {}

    static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
