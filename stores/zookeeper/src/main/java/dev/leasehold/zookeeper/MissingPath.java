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
     * Makes what is missing; making it twice does no harm. A lock's node is made alone at first, since what is above it is
     * there in all but the very first use, and with the whole way to it if that is missing.
     *
     * @param denied receives why one that is missing may not be made. That the creation of one that is there is refused
     *     means nothing
     */
    static void make(ClientSession client, Session in, String path, Consumer<LockException> denied) {
        make(client, in, path, path.equals(client.paths().clients()) ? 0 : path.lastIndexOf('/'), denied);
    }

    /** Makes the nodes that begin after a given place in the path. */
    private static void make(ClientSession client, Session in, String path, int from, Consumer<LockException> denied) {
        AtomicReference<@Nullable LockException> refused = new AtomicReference<>();
        for (int end = from; end < path.length(); ) {
            int next = path.indexOf('/', end + 1);
            end = next < 0 ? path.length() : next;
            boolean last = next < 0;
            boolean lock = last && !path.equals(client.paths().clients());
            in.handle.create(
                    path.substring(0, end),
                    new byte[0],
                    client.access(),
                    lock ? CreateMode.CONTAINER : CreateMode.PERSISTENT,
                    (rc, p, ctx, name) -> {
                        Code code = Codes.of(rc);
                        if (Codes.isRefusal(code) && code != Code.INVALIDACL) {
                            refused.set(Codes.refused(code, client.toString(), "the creation of '" + p + "'"));
                        }
                        LockException why = refused.get();
                        if (code == Code.NONODE && from > 0) {
                            client.execute(() -> make(client, in, path, 0, denied));
                        } else if (last && why != null && (Codes.isRefusal(code) || code == Code.NONODE)) {
                            client.execute(() -> denied.accept(why));
                        }
                    },
                    null);
        }
    }
}
