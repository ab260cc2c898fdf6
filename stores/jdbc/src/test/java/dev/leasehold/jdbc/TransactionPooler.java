package dev.leasehold.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.sql.DataSource;

/**
 * A transaction pooler lends the sessions of a real server per transaction, as PgBouncer does in its transaction mode: what
 * looks like one connection runs each of its transactions, and each statement outside of one, on whatever session is free.
 */
public final class TransactionPooler implements AutoCloseable {

    private final String url;
    private final boolean newestFirst;
    private final Deque<Connection> free = new ArrayDeque<>();
    private final List<Connection> all = new ArrayList<>();

    /**
     * Makes a pooler that takes, of the free sessions, the one that was used last, or the one that has rested longest.
     */
    public TransactionPooler(String url, boolean newestFirst, int sessions) throws SQLException {
        this.url = url;
        this.newestFirst = newestFirst;
        for (int i = 0; i < sessions; i++) {
            free.add(open());
        }
    }

    public DataSource dataSource() {
        return proxy(DataSource.class, (proxy, method, arguments) -> {
            if (method.getName().equals("getConnection")) {
                return proxy(Connection.class, new Lent());
            }
            throw new UnsupportedOperationException(method.toString());
        });
    }

    private synchronized Connection take() throws SQLException {
        Connection taken = newestFirst ? free.pollLast() : free.pollFirst();
        return taken == null ? open() : taken;
    }

    private synchronized void giveBack(Connection session) {
        free.addLast(session);
    }

    private Connection open() throws SQLException {
        Connection session = DriverManager.getConnection(url);
        all.add(session);
        return session;
    }

    @Override
    public synchronized void close() throws SQLException {
        for (Connection session : all) {
            session.close();
        }
    }

    /** A lent connection is what a client takes for one. */
    private final class Lent implements InvocationHandler {
        private boolean autoCommit = true;
        private Connection bound;

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            switch (method.getName()) {
                case "getAutoCommit":
                    return autoCommit;
                case "setAutoCommit":
                    autoCommit = (Boolean) arguments[0];
                    return null;
                case "prepareStatement":
                    return proxy(PreparedStatement.class, new Prepared(method, arguments));
                case "commit", "rollback", "close", "abort":
                    if (bound != null) {
                        Connection ending = bound;
                        bound = null;
                        if (method.getName().equals("commit")) {
                            ending.commit();
                        } else {
                            ending.rollback();
                        }
                        giveBack(ending);
                    }
                    return null;
                default:
                    return on(session -> call(session, method, arguments));
            }
        }

        Object on(Use use) throws Throwable {
            Connection session = bound == null ? take() : bound;
            session.setAutoCommit(autoCommit);
            try {
                return use.of(session);
            } finally {
                if (autoCommit) {
                    giveBack(session);
                } else {
                    bound = session;
                }
            }
        }

        /** A prepared statement is prepared anew at each execution, wherever that is. */
        private final class Prepared implements InvocationHandler {
            private final Method prepare;
            private final Object[] statement;
            private final List<Object[]> values = new ArrayList<>();
            private final List<Method> setters = new ArrayList<>();

            Prepared(Method prepare, Object[] statement) {
                this.prepare = prepare;
                this.statement = statement;
            }

            @Override
            public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
                if (method.getName().startsWith("set")) {
                    setters.add(method);
                    values.add(arguments);
                    return null;
                }
                if (method.getName().equals("isWrapperFor")) {
                    return false;
                }
                if (!method.getName().startsWith("execute")) {
                    return null;
                }
                return on(session -> {
                    Object real = call(session, prepare, statement);
                    for (int i = 0; i < setters.size(); i++) {
                        call(real, setters.get(i), values.get(i));
                    }
                    setters.clear();
                    values.clear();
                    return call(real, method, arguments);
                });
            }
        }
    }

    private interface Use {
        Object of(Connection session) throws Throwable;
    }

    private static Object call(Object on, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
