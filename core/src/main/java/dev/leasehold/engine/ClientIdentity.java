package dev.leasehold.engine;

import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client identity is the random id of a client, drawn when it is first needed, which is when the store is first used. A
 * process image that is taken after a service has started and before its first lock (SnapStart, CRaC, a cloned machine)
 * then holds no id, and each process that is restored from it draws its own. Two clients with one id would be granted one
 * lock, with one token.
 */
final class ClientIdentity implements Supplier<String> {

    private static final int ID_BYTES = 20;

    private final RandomGenerator random;
    /**
     * This has the id, once it is drawn. No lock guards it: an Error in the wrong place could leave one locked for
     * good.
     */
    private final AtomicReference<@Nullable String> id = new AtomicReference<>();

    ClientIdentity(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public String get() {
        String drawn = id.get();
        return drawn != null ? drawn : draw();
    }

    /** Draws an id; if several threads draw at once, the first one's counts. */
    private String draw() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String drawn = HexFormat.of().formatHex(bytes);
        String before = id.compareAndExchange(null, drawn);
        return before == null ? drawn : before;
    }
}
