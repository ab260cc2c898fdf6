package dev.leasehold.redis.node;

import dev.leasehold.redis.script.Reply;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A slot map says which master of a cluster has which slots, as one node saw it. Immutable.
 *
 * @param slots the master by slot, null where none has it
 */
public record SlotMap(List<@Nullable Address> slots) {

    /** An address is the address at which a node listens. */
    public record Address(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + port;
        }
    }

    /**
     * Reads the answer of CLUSTER SLOTS.
     *
     * @param asked who answered: a node that does not know its own name leaves it empty
     */
    public static SlotMap read(List<?> answer, Address asked) {
        List<@Nullable Address> slots = new ArrayList<@Nullable Address>(SlotHash.SLOT_COUNT);
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            slots.add(null);
        }
        for (Object range : answer) {
            if (range instanceof List<?> parts && parts.size() > 2 && parts.get(2) instanceof List<?> master) {
                String host = master.get(0) == null ? "" : master.get(0).toString();
                int port = (int) Reply.number(present(master.get(1)));
                Address address = new Address(host.isEmpty() || host.equals("?") ? asked.host() : host, port);
                long last = Reply.number(present(parts.get(1)));
                for (int slot = (int) Reply.number(present(parts.get(0))); slot <= last; slot++) {
                    slots.set(slot, address);
                }
            }
        }
        return new SlotMap(Collections.<@Nullable Address>unmodifiableList(slots));
    }

    private static Object present(@Nullable Object part) {
        if (part == null) {
            throw new IllegalArgumentException("a part of the map of the cluster is missing");
        }
        return part;
    }

    public @Nullable Address of(String key) {
        return slots.get(SlotHash.getSlot(key));
    }

    public Set<Address> masters() {
        Set<Address> masters = new LinkedHashSet<>();
        for (Address address : slots) {
            if (address != null) {
                masters.add(address);
            }
        }
        return masters;
    }
}
