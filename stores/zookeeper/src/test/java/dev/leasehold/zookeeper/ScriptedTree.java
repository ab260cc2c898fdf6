package dev.leasehold.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;

/**
 * A scripted tree has the nodes of an ensemble, in memory. What is done to them is done at once, by whichever session asks.
 */
final class ScriptedTree {

    /** A refusal says that a request cannot be carried out. */
    @SuppressWarnings("serial")
    static final class Refused extends Exception {

        final transient Code code;

        Refused(Code code) {
            super(code.name(), null, false, false);
            this.code = code;
        }
    }

    /** A listener hears of every change. */
    interface Listener {
        void changed(String path, EventType how);
    }

    private static final class Node {
        private final Stat stat = new Stat();
        private byte[] data = {};
        private int created;
    }

    private final Map<String, Node> nodes = new TreeMap<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final LongSupplier millis;
    private long zxid = 0x100000000L;

    ScriptedTree(LongSupplier millis) {
        this.millis = millis;
        nodes.put("", new Node());
    }

    void listen(Listener listener) {
        listeners.add(listener);
    }

    private Node node(String path) throws Refused {
        Node node = nodes.get(path);
        if (node == null) {
            throw new Refused(Code.NONODE);
        }
        return node;
    }

    private static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    String create(String path, byte[] data, CreateMode mode, long session) throws Refused {
        Node parent = node(parent(path));
        String name = mode.isSequential() ? path + String.format("%010d", parent.created) : path;
        if (nodes.containsKey(name)) {
            throw new Refused(Code.NODEEXISTS);
        }
        parent.created++;
        Node made = new Node();
        made.data = data;
        made.stat.setCzxid(++zxid);
        made.stat.setCtime(millis.getAsLong());
        made.stat.setMtime(millis.getAsLong());
        made.stat.setEphemeralOwner(mode.isEphemeral() ? session : 0);
        nodes.put(name, made);
        return name;
    }

    /** Refuses unless a node is there, with a version; -1 stands for any. */
    void check(String path, int version) throws Refused {
        if (version != -1 && node(path).stat.getVersion() != version) {
            throw new Refused(Code.BADVERSION);
        }
        node(path);
    }

    void delete(String path) throws Refused {
        node(path);
        zxid++;
        nodes.remove(path);
        listeners.forEach(each -> each.changed(path, EventType.NodeDeleted));
    }

    Stat write(String path, byte[] data) throws Refused {
        Node node = node(path);
        zxid++;
        node.data = data;
        node.stat.setMtime(millis.getAsLong());
        node.stat.setVersion(node.stat.getVersion() + 1);
        listeners.forEach(each -> each.changed(path, EventType.NodeDataChanged));
        return stat(path);
    }

    byte[] read(String path) throws Refused {
        return node(path).data;
    }

    Stat stat(String path) throws Refused {
        Stat stat = node(path).stat;
        Stat copy = new Stat();
        copy.setCzxid(stat.getCzxid());
        copy.setCtime(stat.getCtime());
        copy.setMtime(stat.getMtime());
        copy.setVersion(stat.getVersion());
        copy.setEphemeralOwner(stat.getEphemeralOwner());
        return copy;
    }

    boolean has(String path) {
        return nodes.containsKey(path);
    }

    /** Returns the names of a node's children. */
    List<String> children(String path) throws Refused {
        node(path);
        return nodes.keySet().stream()
                .filter(each -> !each.isEmpty() && parent(each).equals(path))
                .map(each -> each.substring(path.length() + 1))
                .toList();
    }

    /** Has the numbers of a node's children go on from there. */
    void number(String path, int next) throws Refused {
        node(path).created = next;
    }

    /** Deletes what a session owns. */
    void end(long session) {
        for (String each : List.copyOf(nodes.keySet())) {
            if (nodes.get(each).stat.getEphemeralOwner() == session) {
                try {
                    delete(each);
                } catch (Refused e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
