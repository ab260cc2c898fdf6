package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A TLS user is a program that hands a lock over to itself. It has a process of its own because what a JVM trusts is said
 * when it starts.
 */
final class TlsUser {

    private TlsUser() {}

    /**
     * Runs.
     *
     * @param args the store's URI
     */
    public static void main(String[] args) throws Exception {
        try (Leasehold one = Leasehold.connect(args[0]);
                Leasehold other = Leasehold.connect(args[0])) {
            Lease first = one.lock("x").acquire();
            CompletableFuture<Lease> next = other.lock("x").acquireAsync();
            while (one.locks("x").get(0).waiters().isEmpty()) {
                Thread.onSpinWait();
            }
            first.release();
            System.out.println(next.get(A_MINUTE, TimeUnit.SECONDS).release());
        }
    }
}
