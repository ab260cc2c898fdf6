package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/** A connection to a database in which something happens, once, before a statement is prepared. */
public final class EventfulConnection {

    public interface Event {
        void happens() throws SQLException;
    }

    private EventfulConnection() {}

    /** Makes one; what happens, by the text of the statement, may be changed later. */
    public static Connection of(Connection real, Map<String, Event> before) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        Event event = before.remove((String) arguments[0]);
                        if (event != null) {
                            event.happens();
                        }
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
