package dev.leasehold.zookeeper;

import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.proto.CheckVersionRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.jspecify.annotations.Nullable;

/**
 * A scripted multi is several operations in one request. A server carries out all changes or none. It answers each read for
 * itself, so some may fail while others succeed; the answer's code is then that of the first that failed.
 */
final class ScriptedMulti {

    private final List<Op> all = new ArrayList<>();

    ScriptedMulti(Iterable<Op> ops) {
        ops.forEach(all::add);
    }

    /** Returns whether it only reads; ZooKeeper's client sends no mixture. */
    boolean isOfReads() {
        return all.get(0).getKind() == Op.OpKind.READ;
    }

    @Override
    public String toString() {
        StringBuilder words = new StringBuilder("multi");
        all.forEach(op -> words.append(' ')
                .append(op.getKind())
                .append(op.getType())
                .append(' ')
                .append(op.getPath()));
        return words.toString();
    }

    // ---- changes ---------------------------------------------------------------------------------------------------

    List<OpResult> change(ScriptedTree tree, long session) throws ScriptedTree.Refused {
        for (Op op : all) {
            check(tree, op);
        }
        for (Op op : all) {
            carryOut(tree, op, session);
        }
        return List.of();
    }

    private static void check(ScriptedTree at, Op op) throws ScriptedTree.Refused {
        if (op.toRequestRecord() instanceof SetDataRequest write) {
            at.check(op.getPath(), write.getVersion());
        } else if (op.toRequestRecord() instanceof CheckVersionRequest check) {
            at.check(op.getPath(), check.getVersion());
        } else if (!(op.toRequestRecord() instanceof CreateRequest)) {
            at.check(op.getPath(), -1);
        } else if (at.has(op.getPath())) {
            throw new ScriptedTree.Refused(Code.NODEEXISTS);
        }
    }

    private static void carryOut(ScriptedTree at, Op op, long session) throws ScriptedTree.Refused {
        if (op instanceof Op.Delete) {
            at.delete(op.getPath());
        } else if (op.toRequestRecord() instanceof SetDataRequest write) {
            at.write(op.getPath(), write.getData());
        } else if (op.toRequestRecord() instanceof CreateRequest create) {
            CreateMode mode =
                    create.getFlags() == CreateMode.EPHEMERAL.toFlag() ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
            at.create(op.getPath(), create.getData(), mode, session);
        }
    }

    // ---- reads -----------------------------------------------------------------------------------------------------

    List<OpResult> read(ScriptedTree tree) {
        return all.stream().map(op -> read(tree, op)).toList();
    }

    private static OpResult read(ScriptedTree tree, Op op) {
        try {
            return op instanceof Op.GetChildren
                    ? new OpResult.GetChildrenResult(tree.children(op.getPath()))
                    : new OpResult.GetDataResult(tree.read(op.getPath()), tree.stat(op.getPath()));
        } catch (ScriptedTree.Refused e) {
            return new OpResult.ErrorResult(e.code.intValue());
        }
    }

    /**
     * Refuses one of the reads, where the refusal is about a node.
     *
     * @return the results, or null where the server refuses the whole request
     */
    @Nullable List<OpResult> refuse(ScriptedTree tree, int which, Code refusal) {
        if (!isOfReads() || (refusal != Code.NOAUTH && refusal != Code.NONODE)) {
            return null;
        }
        List<OpResult> results = new ArrayList<>(read(tree));
        results.set(which % results.size(), new OpResult.ErrorResult(refusal.intValue()));
        return results;
    }

    /** Returns the code that the client gives to its caller. */
    static Code code(Code answer, @Nullable List<OpResult> results) {
        return results == null
                ? answer
                : results.stream()
                        .filter(OpResult.ErrorResult.class::isInstance)
                        .map(each -> Codes.of(((OpResult.ErrorResult) each).getErr()))
                        .findFirst()
                        .orElse(answer);
    }
}
