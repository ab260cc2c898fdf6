package dev.leasehold.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A handle that never connects: each request waits in it until a test has it carried out in a {@link ScriptedTree}, and its
 * answer until the test has it delivered. Answers and events come in the order in which a server sends them.
 */
@SuppressWarnings("try") // That it may be closed with "try" is its parent's doing.
final class ScriptedHandle extends ZooKeeper {

    private interface Operation<T> {
        T run() throws ScriptedTree.Refused;
    }

    private record Request(Operation<Runnable> carryOut, Function<Code, Runnable> refuse, Consumer<Code> end) {}

    /** An answer, or an event, whose end is null: it survives a broken connection. */
    private record Answer(Runnable deliver, @Nullable Consumer<Code> end) {}

    private record NoServer() implements HostProvider {
        @Override
        public int size() {
            return 1;
        }

        @Override
        public InetSocketAddress next(long spinDelay) {
            while (!Thread.currentThread().isInterrupted()) {
                LockSupport.park();
            }
            return new InetSocketAddress("127.0.0.1", 1);
        }

        @Override
        public void onConnected() {}

        @Override
        public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress current) {
            return false;
        }
    }

    private final Deque<Request> requests = new ArrayDeque<>();
    private final Deque<Answer> answers = new ArrayDeque<>();
    private final Map<String, Set<Watcher>> watchers = new LinkedHashMap<>();
    private ScriptedTree tree = new ScriptedTree(() -> 0);
    private Consumer<String> log = text -> {};
    private long session;
    private boolean ended;
    private boolean listed;
    private int refusedReads;
    private ScriptedEnsemble.Leader leader = ScriptedEnsemble.alone(tree);

    ScriptedHandle() throws IOException {
        super("127.0.0.1:1", 4_000, event -> {}, false, new NoServer());
    }

    /** Begins a session with an ensemble that shows one tree to all. */
    void begin(long id, ScriptedTree of, Consumer<String> to) {
        begin(id, of, ScriptedEnsemble.alone(of), to);
    }

    /** Begins a session with a server that reads a tree of its own. */
    void begin(long id, ScriptedTree of, ScriptedEnsemble.Leader with, Consumer<String> to) {
        leader = with;
        requests.clear();
        answers.clear();
        watchers.clear();
        session = id;
        tree = of;
        log = to;
        ended = false;
        listed = false;
        refusedReads = 0;
        of.listen((path, how) -> {
            if (session == id && tree == of) {
                changed(path, how);
            }
        });
    }

    private void changed(String path, EventType how) {
        Set<Watcher> all = watchers.remove(path);
        if (all != null && !ended) {
            WatchedEvent event = new WatchedEvent(how, KeeperState.SyncConnected, path);
            answers.add(new Answer(
                    () -> {
                        log.accept("event " + how + ' ' + path + " for " + all.size());
                        all.forEach(each -> each.process(event));
                    },
                    null));
        }
    }

    // ---- what the test has happen ----------------------------------------------------------------------------------

    /** Has the server carry out the next request, or refuse it; what says that nothing is known is the end of all under way. */
    void serve(@Nullable Code refusal) {
        Request next = requests.poll();
        if (next == null) {
            return;
        }
        if (refusal == Code.OPERATIONTIMEOUT || refusal == Code.SESSIONEXPIRED) {
            requests.addFirst(next);
            ended = refusal == Code.SESSIONEXPIRED;
            fail(refusal);
            return;
        }
        Runnable answer;
        try {
            answer = refusal == null ? next.carryOut().run() : next.refuse().apply(refusal);
        } catch (ScriptedTree.Refused e) {
            answer = () -> next.end().accept(e.code);
        }
        answers.add(new Answer(answer, next.end()));
    }

    /** Delivers the next answer or event. */
    boolean deliver() {
        Answer next = answers.poll();
        if (next == null) {
            return false;
        }
        next.deliver().run();
        return true;
    }

    /** Returns whether a listing was carried out in this session. */
    boolean hasListed() {
        return listed;
    }

    boolean isIdle() {
        return requests.isEmpty() && answers.isEmpty();
    }

    /** No request gets another answer than that; events are kept. */
    void fail(Code code) {
        List<Answer> sent = List.copyOf(answers);
        List<Request> waiting = List.copyOf(requests);
        answers.clear();
        requests.clear();
        for (Answer each : sent) {
            Consumer<Code> end = each.end();
            if (end == null) {
                answers.add(each);
            } else {
                end.accept(code);
            }
        }
        waiting.forEach(each -> each.end().accept(code));
    }

    /** The session is over; its nodes are still there. */
    void end() {
        ended = true;
        fail(Code.SESSIONEXPIRED);
        answers.clear();
    }

    // ---- the handle ------------------------------------------------------------------------------------------------

    @Override
    public long getSessionId() {
        return session;
    }

    @Override
    public int getSessionTimeout() {
        return 4_000;
    }

    private <T> void send(String text, Operation<T> operation, BiConsumer<Code, @Nullable T> done) {
        send(text, operation, refusal -> null, done);
    }

    /** Sends a request with the results that it has where it is refused in part; null stands for the whole of it. */
    private <T> void send(
            String text,
            Operation<T> operation,
            Function<Code, @Nullable T> refused,
            BiConsumer<Code, @Nullable T> done) {
        log.accept("send " + text);
        Consumer<Code> end = code -> {
            log.accept("  " + code + " to " + text);
            done.accept(code, null);
        };
        Function<T, Runnable> answered = result -> () -> {
            log.accept("  OK to " + text);
            done.accept(Code.OK, result);
        };
        requests.add(new Request(
                () -> answered.apply(operation.run()),
                code -> {
                    T result = refused.apply(code);
                    return result == null ? () -> end.accept(code) : answered.apply(result);
                },
                end));
        if (ended) {
            fail(Code.SESSIONEXPIRED);
        }
    }

    private static String text(byte @Nullable [] data) {
        return data == null ? "" : new String(data, StandardCharsets.UTF_8).replace('\n', '/');
    }

    private static String access(List<ACL> access) {
        return access.equals(Ids.OPEN_ACL_UNSAFE) ? "open" : "creator";
    }

    private void watch(String path, @Nullable Watcher watcher) {
        if (watcher != null) {
            watchers.computeIfAbsent(path, none -> new LinkedHashSet<>()).add(watcher);
        }
    }

    @Override
    public void create(
            String path,
            byte[] data,
            List<ACL> access,
            CreateMode mode,
            AsyncCallback.Create2Callback done,
            @Nullable Object ctx) {
        send(
                "create " + mode + ' ' + path + ' ' + access(access) + ' ' + text(data),
                () -> leader.apply(at -> {
                    String made = at.create(path, data, mode, session);
                    return Map.entry(made, at.stat(made));
                }),
                (code, made) -> done.processResult(
                        code.intValue(),
                        path,
                        ctx,
                        made == null ? null : made.getKey(),
                        made == null ? null : made.getValue()));
    }

    @Override
    public void create(
            String path,
            byte[] data,
            List<ACL> access,
            CreateMode mode,
            AsyncCallback.StringCallback done,
            @Nullable Object ctx) {
        send(
                "create " + mode + ' ' + path + ' ' + access(access),
                () -> leader.apply(at -> at.create(path, data, mode, session)),
                (code, made) -> done.processResult(code.intValue(), path, ctx, made));
    }

    @Override
    public void delete(String path, int version, AsyncCallback.VoidCallback done, @Nullable Object ctx) {
        send(
                "delete " + path + ' ' + version,
                () -> leader.apply(at -> {
                    at.check(path, -1);
                    at.delete(path);
                    return path;
                }),
                (code, gone) -> done.processResult(code.intValue(), path, ctx));
    }

    @Override
    public void multi(Iterable<Op> ops, AsyncCallback.MultiCallback done, @Nullable Object ctx) {
        ScriptedMulti all = new ScriptedMulti(ops);
        send(
                all.toString(),
                () -> all.isOfReads() ? all.read(tree) : leader.apply(at -> all.change(at, session)),
                refusal -> all.refuse(tree, refusedReads++, refusal),
                (code, results) ->
                        done.processResult(ScriptedMulti.code(code, results).intValue(), null, ctx, results));
    }

    @Override
    public void exists(String path, boolean watch, AsyncCallback.StatCallback done, @Nullable Object ctx) {
        send(
                "exists " + path,
                () -> tree.stat(path),
                (code, stat) -> done.processResult(code.intValue(), path, ctx, stat));
    }

    @Override
    public void getData(String path, boolean watch, AsyncCallback.DataCallback done, @Nullable Object ctx) {
        getData(path, null, done, ctx);
    }

    @Override
    public void getData(String path, @Nullable Watcher watcher, AsyncCallback.DataCallback done, @Nullable Object ctx) {
        send(
                "read " + path + (watcher == null ? "" : " watching"),
                () -> {
                    Map.Entry<byte[], Stat> read = Map.entry(tree.read(path), tree.stat(path));
                    watch(path, watcher);
                    return read;
                },
                (code, read) -> done.processResult(
                        code.intValue(),
                        path,
                        ctx,
                        read == null ? null : read.getKey(),
                        read == null ? null : read.getValue()));
    }

    @Override
    public void setData(String path, byte[] data, int version, AsyncCallback.StatCallback done, @Nullable Object ctx) {
        send(
                "write " + path + ' ' + text(data),
                () -> leader.apply(at -> {
                    at.check(path, version);
                    return at.write(path, data);
                }),
                (code, stat) -> done.processResult(code.intValue(), path, ctx, stat));
    }

    @Override
    public void getChildren(String path, boolean watch, AsyncCallback.ChildrenCallback done, @Nullable Object ctx) {
        send(
                "list " + path,
                () -> {
                    listed = true;
                    return tree.children(path);
                },
                (code, children) -> done.processResult(code.intValue(), path, ctx, children));
    }

    @Override
    public void sync(String path, AsyncCallback.VoidCallback done, @Nullable Object ctx) {
        send(
                "sync " + path,
                () -> {
                    leader.sync();
                    return path;
                },
                (code, same) -> done.processResult(code.intValue(), path, ctx));
    }
}
