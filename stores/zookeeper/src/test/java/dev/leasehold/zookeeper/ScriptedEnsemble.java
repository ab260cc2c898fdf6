package dev.leasehold.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A scripted ensemble is several servers in memory: a leader, which carries out changes in their order, and followers, whose
 * trees show them later. A follower shows what its own clients have changed before it answers them, as ZooKeeper's do.
 */
final class ScriptedEnsemble {

    /** A change is something to be done to a tree, with the same result on each that is in the same state. */
    interface Change<T> {
        T on(ScriptedTree tree) throws ScriptedTree.Refused;
    }

    /** A leader carries out changes where they are ordered, before the tree that is read shows them. */
    interface Leader {
        <T> T apply(Change<T> change) throws ScriptedTree.Refused;

        /** Lets the tree that is read show all that was done. */
        void sync();
    }

    private static final class Alone implements Leader {

        private final ScriptedTree tree;

        Alone(ScriptedTree tree) {
            this.tree = tree;
        }

        @Override
        public <T> T apply(Change<T> change) throws ScriptedTree.Refused {
            return change.on(tree);
        }

        @Override
        public void sync() {}
    }

    /** A follower is a server that follows. */
    final class Follower implements Leader {

        final ScriptedTree tree = new ScriptedTree(millis);
        private int shown;

        @Override
        public <T> T apply(Change<T> change) throws ScriptedTree.Refused {
            try {
                return atLeader(change);
            } finally {
                sync();
            }
        }

        /** Shows so many further changes, if there are as many. */
        void show(int further) {
            for (int i = 0; i < further && shown < log.size(); i++) {
                try {
                    log.get(shown++).on(tree);
                } catch (ScriptedTree.Refused e) {
                    throw new AssertionError(e);
                }
            }
        }

        boolean isBehind() {
            return shown < log.size();
        }

        @Override
        public void sync() {
            show(Integer.MAX_VALUE);
        }
    }

    private final LongSupplier millis;
    private final List<Change<?>> log = new ArrayList<>();

    /** The sum of all changes. */
    final ScriptedTree leader;

    ScriptedEnsemble(LongSupplier millis) {
        this.millis = millis;
        this.leader = new ScriptedTree(millis);
    }

    /** A server that is its own leader. */
    static Leader alone(ScriptedTree tree) {
        return new Alone(tree);
    }

    <T> T atLeader(Change<T> change) throws ScriptedTree.Refused {
        T result = change.on(leader);
        log.add(change);
        return result;
    }
}
