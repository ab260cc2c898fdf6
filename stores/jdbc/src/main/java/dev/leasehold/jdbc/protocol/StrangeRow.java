package dev.leasehold.jdbc.protocol;

import dev.leasehold.LockException;
import java.sql.SQLException;
import java.time.DateTimeException;
import org.jspecify.annotations.Nullable;

/**
 * A strange row is one of a lock, of its holders or its waiters that makes no sense: somebody else has changed it.
 * Nothing is decided by it.
 */
public final class StrangeRow extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String lock;

    private StrangeRow(String lock, Exception cause) {
        super(cause.getMessage(), cause);
        this.lock = lock;
    }

    /** Reads rows. */
    @FunctionalInterface
    public interface Reading<T> {
        T read() throws SQLException;
    }

    /** Reads rows of a lock. */
    public static <T> T in(String lock, Reading<T> reading) throws SQLException {
        try {
            return reading.read();
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            throw new StrangeRow(lock, e);
        } catch (SQLException e) {
            if (isAboutValues(e)) {
                throw new StrangeRow(lock, e);
            }
            throw e;
        }
    }

    /** Class 22 is "data exception": a number out of range, a text that is none. */
    private static boolean isAboutValues(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("22");
    }

    /**
     * Returns the failure of a request that met such a row, or null if it failed of something else.
     *
     * @param lock the lock that the request was about, or null
     */
    public static @Nullable LockException failure(Throwable e, String store, @Nullable String lock) {
        if (e instanceof StrangeRow strange) {
            return failure(strange, store);
        }
        boolean reading = e instanceof IllegalArgumentException || e instanceof ArithmeticException;
        return lock != null && (reading || e instanceof DateTimeException)
                ? failure(new StrangeRow(lock, (Exception) e), store)
                : null;
    }

    private static LockException failure(StrangeRow strange, String store) {
        return new LockException(
                "the rows of '" + strange.lock + "' in the store " + store + " make no sense: " + strange.getMessage()
                        + ". Somebody else has changed them. When nobody relies on that lock, delete them",
                strange);
    }
}
