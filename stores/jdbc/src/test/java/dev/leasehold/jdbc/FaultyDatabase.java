package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A faulty database is an H2 in memory whose connections fail where a test says so. Thread-safe. */
public final class FaultyDatabase {

    /** A place is where a failure happens. */
    public enum Place {
        CONNECT,
        PREPARE,
        /** Of a batch of renewals. */
        PREPARE_BATCH,
        /** The commit has been carried out; its answer does not arrive. */
        COMMIT
    }

    private record Failure(Place place, Throwable what) {}

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final AtomicReference<@Nullable CountDownLatch> held = new AtomicReference<>();
    private final Deque<Failure> planned = new ArrayDeque<>();
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicInteger spoilt = new AtomicInteger();

    /** Has the next call at a place fail, after those that were planned before. */
    public synchronized void fail(Place place, Throwable what) {
        planned.add(new Failure(place, what));
    }

    /** Has the next batch of renewals fail. */
    public void failBatch(Throwable what) {
        fail(Place.PREPARE_BATCH, what);
    }

    /** Lets the next who wants a connection wait until the latch is counted down. */
    public CountDownLatch holdNextConnection() {
        CountDownLatch latch = new CountDownLatch(1);
        held.set(latch);
        return latch;
    }

    /** Returns how many connections have been lent: one to each operation, batch or look. */
    public int lent() {
        return lent.get();
    }

    /** Returns how many connections were given back for good. */
    public int spoilt() {
        return spoilt.get();
    }

    /** Opens a connection of the test's own. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    public synchronized boolean hasFailed() {
        return planned.isEmpty();
    }

    private synchronized @Nullable Throwable next(Place place) {
        Failure first = planned.peek();
        if (first == null || first.place() != place) {
            return null;
        }
        planned.poll();
        return first.what();
    }

    private void at(Place place) throws Throwable {
        Throwable failure = next(place);
        if (failure != null) {
            throw failure;
        }
    }

    public DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    CountDownLatch latch = held.getAndSet(null);
                    if (latch != null) {
                        latch.await();
                    }
                    at(Place.CONNECT);
                    lent.incrementAndGet();
                    return connection(DriverManager.getConnection(url));
                });
    }

    private Connection connection(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        at(((String) arguments[0]).contains("SKIP LOCKED") ? Place.PREPARE_BATCH : Place.PREPARE);
                    }
                    if (method.getName().equals("abort")) {
                        spoilt.incrementAndGet();
                    }
                    try {
                        Object answer = method.invoke(real, arguments);
                        if (method.getName().equals("commit")) {
                            at(Place.COMMIT);
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    public static SQLException error(String state) {
        return new SQLException("made by the test", state);
    }
}
