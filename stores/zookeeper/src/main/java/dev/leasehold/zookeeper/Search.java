package dev.leasehold.zookeeper;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.Claim;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A search looks for the node of a claim whose creation was not answered: in a listing that comes after everything that
 * was under way, and only among the nodes of the present session. Those of earlier sessions are no more than obstacles.
 */
final class Search {

    /** A result receives what was found. */
    interface Result {

        /**
         * Called in the serial executor.
         *
         * @param code OK, also if nothing was found
         * @param child the node's name, or null
         */
        void found(Code code, @Nullable String child, @Nullable Stat stat);
    }

    private final SerialExecutor serial;
    private final Session in;
    private final String parent;
    private final Result result;

    private Search(SerialExecutor serial, Session in, String parent, Result result) {
        this.serial = serial;
        this.in = in;
        this.parent = parent;
        this.result = result;
    }

    static void of(SerialExecutor serial, Session in, String parent, Claim claim, Result result) {
        Search search = new Search(serial, in, parent, result);
        String prefix = NodeName.prefix(claim.id(), claim.share());
        in.handle.sync(parent, (rc, p, ctx) -> {}, null);
        in.handle.getChildren(
                parent,
                false,
                (rc, p, ctx, children) -> serial.execute(() -> search.among(
                        Codes.of(rc),
                        children == null
                                ? List.of()
                                : children.stream()
                                        .filter(each -> each.startsWith(prefix))
                                        .toList())),
                null);
    }

    private void among(Code code, List<String> candidates) {
        if (code != Code.OK && code != Code.NONODE) {
            result.found(code, null, null);
        } else if (candidates.isEmpty()) {
            result.found(Code.OK, null, null);
        } else {
            String child = candidates.get(0);
            in.handle.exists(
                    parent + '/' + child,
                    false,
                    (rc, p, ctx, stat) -> serial.execute(() -> {
                        if (Codes.of(rc) == Code.OK && stat.getEphemeralOwner() == in.id) {
                            result.found(Code.OK, child, stat);
                        } else {
                            among(Codes.of(rc), candidates.subList(1, candidates.size()));
                        }
                    }),
                    null);
        }
    }
}
