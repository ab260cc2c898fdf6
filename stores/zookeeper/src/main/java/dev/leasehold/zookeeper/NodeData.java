package dev.leasehold.zookeeper;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The content of nodes is two lines of text, for people and for inspection; no claim is ever decided by it. */
final class NodeData {

    /**
     * An owner is the content of a claim's node: the number of spare tokens that its grant reserves, and its client's
     * description.
     *
     * @param isNews whether the node has been written anew, to wake those that watch it: a shared claim that has waited was let
     *     in, or a writer has become a reader. A sign before the number says so
     */
    record Owner(int spare, String owner, boolean isNews) {

        byte[] bytes() {
            return text((isNews ? "+" : "") + spare + "\n" + owner);
        }

        /** Reads what {@link #bytes} wrote; of anything else as much as can be made of it. */
        static Owner read(byte @Nullable [] data) {
            String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
            int end = text.indexOf('\n');
            int spare = (int) number(end < 0 ? "" : text.substring(0, end));
            return new Owner(spare, text.substring(end + 1), text.startsWith("+"));
        }
    }

    /**
     * A keep is the content of a kept lock's node: the token of the lease that was released, and for how long from the
     * node's creation.
     */
    record Keep(long token, long millis) {

        byte[] bytes() {
            return text(token + "\n" + millis);
        }

        static Keep read(byte @Nullable [] data) {
            String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
            int end = Math.max(0, text.indexOf('\n'));
            return new Keep(
                    number(text.substring(0, end)), number(text.substring(end).trim()));
        }
    }

    private NodeData() {}

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
