package dev.leasehold.engine;

import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The random id of a client, drawn when it is first needed: when the store is first used. A process image that is taken
 * after a service has started and before its first lock (SnapStart, CRaC, a cloned machine) then holds no id, and each process
 * that is restored from it draws its own. Two clients with one id would be granted one lock, with one token.
 */
final class ClientIdentity implements Supplier<String> {

    private static final int ID_BYTES = 20;

    private final RandomGenerator random;
    private final ReentrantLock drawing = new ReentrantLock();
    private volatile @Nullable String id;

    ClientIdentity(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public String get() {
        String drawn = id;
        return drawn != null ? drawn : draw();
    }

    private String draw() {
        drawing.lock();
        try {
            String drawn = id;
            if (drawn == null) {
                byte[] bytes = new byte[ID_BYTES];
                random.nextBytes(bytes);
                drawn = HexFormat.of().formatHex(bytes);
                id = drawn;
            }
            return drawn;
        } finally {
            drawing.unlock();
        }
    }
}
