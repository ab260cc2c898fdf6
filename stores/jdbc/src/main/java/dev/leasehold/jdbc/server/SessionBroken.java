package dev.leasehold.jdbc.server;

import java.io.Serial;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The pinned session is gone, in the middle of something. Nothing of it counts; as after a serialisation failure, whose
 * SQLSTATE class this has, all begins anew, on a new session.
 */
final class SessionBroken extends SQLException {

    @Serial
    private static final long serialVersionUID = 1;

    SessionBroken(@Nullable Throwable cause) {
        super("the session that holds the locks is gone", "40L01", cause);
    }
}
