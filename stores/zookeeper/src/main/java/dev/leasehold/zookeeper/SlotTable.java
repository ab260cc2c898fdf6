package dev.leasehold.zookeeper;

import dev.leasehold.spi.Grant;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A slot table has the slots that permits of a lock have been given: it is in the lock's own node, a line for each,
 * with the slot and the name of the permit's node. Immutable.
 *
 * <p>A permit does not take its slot for itself alone. The client that finds its claim let in gives slots to all permits before it
 * that have none yet, in their order, and to its own last ({@link #giving}), and writes the table if it still is the one that it
 * has read (by the version of the lock's node) and its own node is there. The listing that says who holds is asked for after the
 * table. From that follows:
 *
 * <ul>
 *   <li><b>Slots are given in the order of the queue.</b> Of two permits that hold, let A be before B. When B is given a slot, the
 *       listing of that writer shows A (it came before B, and is there still), and A holds, because who is before a
 *       holder does. So A has a slot by then, or gets one in the same write. Therefore a slot that passes from one permit to another
 *       passes to one behind it in the queue, so the <b>tokens of a slot increase</b>, though they are the transactions that
 *       created the claims' nodes, long before; and no token of a permit exceeds that of a mutex that has waited behind it.
 *   <li><b>No two that are there have the same slot.</b> Who writes leaves out the lines of nodes that its listing does not
 *       show before its own, and those behind it have none. That listing is younger than the table, and a node that is gone never comes back. Two cannot
 *       write upon the same table, because the version allows one of them.
 *   <li><b>The smallest free slot is below the own share.</b> When a permit is given its slot, none behind it has one. So there
 *       are at most as many slots in use as nodes before it, fewer than its share.
 * </ul>
 *
 * <p>What may happen in between: the process stops for a minute after its listing. If others were given slots meanwhile, the version
 * has changed, and it looks again. If nodes have gone, their slots stay unused for one turn. If its own node is gone, the write is
 * refused; and while it is there, the lock's node cannot have been removed and made anew, with versions that begin again. The
 * answer to the write is lost: it looks again, and finds its line, or not. The process never wakes up again: those behind it have
 * given it a slot, which is free again with its node, at the end of its session. It was given a slot by another: it finds
 * that in the table. A mutex writes its own name over the table when it leaves, but then nobody else holds. Claims that
 * bring different numbers differ in their places alone.
 *
 * @param version that of the lock's node
 */
record SlotTable(Map<String, Integer> slots, int version) {

    private static final Pattern LINE = Pattern.compile("(?m)^([0-9]{1,4}) (\\S+)$");

    /** Copies the map. */
    SlotTable {
        slots = Map.copyOf(slots);
    }

    /** Reads the content of a lock's node, which may be something else: then no slots have been given. */
    static SlotTable read(byte @Nullable [] data, int version) {
        Map<String, Integer> slots = new LinkedHashMap<>();
        String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
        Matcher lines = LINE.matcher(text);
        while (lines.find()) {
            slots.put(lines.group(2), Integer.valueOf(lines.group(1)));
        }
        return new SlotTable(slots, version);
    }

    byte[] bytes() {
        StringBuilder text = new StringBuilder(slots.size() * 64);
        slots.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .forEach(slot -> text.append(slot.getValue())
                        .append(' ')
                        .append(slot.getKey())
                        .append('\n'));
        return NodeData.text(text.toString());
    }

    /** Returns the slot of a node, or {@link Grant#NO_SLOT}. */
    int of(String node) {
        return slots.getOrDefault(node, Grant.NO_SLOT);
    }

    /**
     * Returns the table in which a permit that holds and all before it have slots, and none that is gone.
     *
     * @param before the nodes before it, in their order
     */
    SlotTable giving(List<Place.Node> before, Place.Node permit) {
        Map<String, Integer> given = new LinkedHashMap<>();
        Set<Integer> used = new HashSet<>();
        for (Place.Node each : before) {
            boolean isKept = NodeName.isKept(each.name());
            int slot = isKept ? NodeName.keptSlot(each.name()) : of(each.name());
            if (slot != Grant.NO_SLOT) {
                used.add(slot);
                if (!isKept) {
                    given.put(each.name(), slot);
                }
            }
        }
        for (Place.Node each : before) {
            giveTo(each, given, used);
        }
        giveTo(permit, given, used);
        return new SlotTable(given, version);
    }

    private static void giveTo(Place.Node node, Map<String, Integer> given, Set<Integer> used) {
        if (!node.isPermit() || NodeName.isKept(node.name()) || given.containsKey(node.name())) {
            return;
        }
        int slot = 0;
        while (!used.add(slot)) {
            slot++;
        }
        given.put(node.name(), slot);
    }
}
