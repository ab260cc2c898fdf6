package dev.leasehold.cli;

import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.spi.Claim;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lock JSON shows locks to programs. */
final class LockJson {

    private LockJson() {}

    static String of(List<LockInfo> locks) {
        return locks.stream().map(LockJson::of).collect(Collectors.joining(",\n ", "[", "]"));
    }

    static String of(LockInfo lock) {
        return "{\"name\":" + Escapes.json(lock.name())
                + ",\"holders\":"
                + lock.holders().stream().map(LockJson::holder).collect(Collectors.joining(",", "[", "]"))
                + ",\"waiters\":"
                + lock.waiters().stream().map(LockJson::waiter).collect(Collectors.joining(",", "[", "]"))
                + ",\"disagreement\":"
                + lock.disagreement().stream().map(LockJson::node).collect(Collectors.joining(",", "[", "]"))
                + "}";
    }

    private static String holder(HolderInfo holder) {
        return "{" + owner(holder.owner())
                + ",\"kept\":" + holder.owner().isEmpty()
                + ",\"token\":" + holder.token()
                + ",\"share\":" + share(holder.share())
                + ",\"slot\":" + (holder.slot().isPresent() ? holder.slot().getAsInt() : "null")
                + ",\"since\":" + time(holder.since())
                + ",\"until\":" + time(holder.until())
                + ",\"timeLeftMillis\":"
                + (holder.timeLeft() == null ? "null" : holder.timeLeft().toMillis())
                + "}";
    }

    private static String waiter(WaiterInfo waiter) {
        return "{\"place\":" + waiter.place() + "," + owner(waiter.owner()) + ",\"share\":" + share(waiter.share())
                + ",\"since\":" + time(waiter.since()) + "}";
    }

    /** Returns a share as JSON, null for one without limit. */
    private static String share(int share) {
        return share == Claim.UNLIMITED ? "null" : Integer.toString(share);
    }

    static String node(NodeAnswer node) {
        return "{\"node\":" + Escapes.json(node.node()) + ",\"answer\":" + Escapes.json(node.answer()) + "}";
    }

    private static String owner(String text) {
        Owner owner = Owner.parse(text);
        String pid = owner.pid().matches("[0-9]{1,18}") ? Long.toString(Long.parseLong(owner.pid())) : "null";
        return "\"host\":" + Escapes.json(owner.host()) + ",\"pid\":" + pid + ",\"command\":"
                + Escapes.json(owner.label());
    }

    private static String time(@Nullable Instant instant) {
        return instant == null ? "null" : Escapes.json(instant.toString());
    }
}
