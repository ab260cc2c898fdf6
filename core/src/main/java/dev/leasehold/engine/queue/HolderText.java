package dev.leasehold.engine.queue;

import dev.leasehold.inspect.HolderInfo;
import org.jspecify.annotations.Nullable;

/** The holder's text says for people who holds a lock. */
final class HolderText {

    private HolderText() {}

    static String of(@Nullable HolderInfo holder) {
        if (holder == null) {
            return "another caller of this client, or somebody whom the store does not name";
        }
        String who = holder.owner().isEmpty() ? "nobody any more, but kept," : holder.owner();
        return who + " with token " + holder.token() + (holder.since() == null ? "" : " since " + holder.since());
    }
}
