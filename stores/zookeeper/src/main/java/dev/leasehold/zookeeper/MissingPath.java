package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** A missing path is the way to a lock's node, or to those of clients, of which some nodes may be missing. */
final class MissingPath {

    private MissingPath() {}

    /**
     * Makes what is missing; making it twice does no harm.
     *
     * @param denied receives why one that is missing may not be made. That the creation of one that is there is refused
     *     means nothing
     */
    static void make(ClientSession client, Session in, String path, Consumer<LockException> denied) {
        String[] steps = path.substring(1).split("/", -1);
        StringBuilder made = new StringBuilder(path.length());
        AtomicReference<@Nullable LockException> refused = new AtomicReference<>();
        for (int i = 0; i < steps.length; i++) {
            made.append('/').append(steps[i]);
            boolean last = i == steps.length - 1;
            boolean lock = last && !path.equals(client.paths().clients());
            in.handle.create(
                    made.toString(),
                    new byte[0],
                    client.access(),
                    lock ? CreateMode.CONTAINER : CreateMode.PERSISTENT,
                    (rc, p, ctx, name) -> {
                        Code code = Codes.of(rc);
                        if (Codes.isRefusal(code) && code != Code.INVALIDACL) {
                            refused.set(Codes.refused(code, client.toString(), "the creation of '" + p + "'"));
                        }
                        LockException why = refused.get();
                        if (last && why != null && (Codes.isRefusal(code) || code == Code.NONODE)) {
                            client.execute(() -> denied.accept(why));
                        }
                    },
                    null);
        }
    }
}
