package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.inspect.HolderInfo;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** A view is the result of a look at a queue by {@link QueueView}. */
sealed interface View {

    /**
     * First says that our node has the lock: it is the first, or all before it share with it.
     *
     * @param isFollowed whether claims may be behind it
     */
    record First(boolean isFollowed) implements View {}

    /**
     * Permit says that our node has the lock as a permit.
     *
     * @param table the slots, with ours
     * @param isWritten whether our slot was found in the table; otherwise the table is to be written
     * @param isFollowed whether claims are behind it that may wait for it to say so
     */
    record Permit(SlotTable table, boolean isWritten, boolean isFollowed) implements View {}

    /**
     * Behind says that other nodes are in our way.
     *
     * @param place our place; null if it is the same as at the last look
     * @param watched those of {@link Place#watched}, watched if that was asked for
     * @param ahead our place among those who wait
     * @param holder the first of the queue, where it was looked at
     * @param kept for how long a node keeps the lock, if there is such a holder
     * @param keeper that node, if its end is ours to see to
     * @param isOnly whether no other holder is in our way
     */
    record Behind(
            @Nullable Place place,
            List<String> watched,
            int ahead,
            @Nullable HolderInfo holder,
            @Nullable Duration kept,
            @Nullable String keeper,
            boolean isOnly)
            implements View {

        /** Returns when we would be let in if nobody renewed, as far as it is known. */
        @Nullable Duration timeLeft() {
            return isOnly ? kept : null;
        }
    }

    /**
     * Gone says that the node that was in our way has gone; our place is null if it is the same as at the last look.
     */
    record Gone(String last, @Nullable Place place) implements View {}

    /** Unsaid says that a listing is needed. */
    record Unsaid() implements View {}

    /** Missing says that our own node is not there. */
    record Missing() implements View {}

    /** Failed says that the servers have not answered, or refused. */
    record Failed(Code code) implements View {}

    /** Newer says that a newer version of the library works here. */
    record Newer(LockException why) implements View {}
}
