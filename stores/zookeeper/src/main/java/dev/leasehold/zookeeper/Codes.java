package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Codes says what the servers' result codes mean, and makes the messages for people. */
final class Codes {

    private Codes() {}

    static Code of(int code) {
        Code known = Code.get(code);
        return known == null ? Code.SYSTEMERROR : known;
    }

    /**
     * Returns whether the connection broke, or the session went to another server: the request may or may not have been
     * carried out.
     */
    static boolean isUnknown(Code code) {
        return switch (code) {
            case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONMOVED, REQUESTTIMEOUT -> true;
            default -> false;
        };
    }

    /** Returns whether the server was too busy, or can write nothing just now, and has done nothing. */
    static boolean isPassing(Code code) {
        return code == Code.THROTTLEDOP || code == Code.NOTREADONLY || code == Code.NEWCONFIGNOQUORUM;
    }

    /** Returns whether the servers will not do it, now or later. */
    static boolean isRefusal(Code code) {
        return switch (code) {
            case OK, NODEEXISTS, NONODE, SESSIONEXPIRED -> false;
            default -> !isUnknown(code) && !isPassing(code);
        };
    }

    static LockException refused(Code code, String store, String what) {
        return refused(code, store, what, "nothing was done");
    }

    static LockException refused(Code code, String store, String what, String outcome) {
        String remedy = switch (code) {
            case NOAUTH ->
                "; its nodes belong to others: use the same user and password for all clients of a lock, or a "
                        + "namespace of your own";
            case AUTHFAILED -> "; check user name, password and the JAAS configuration";
            case INVALIDACL -> "; the server accepts neither creator-only nor open access lists";
            case UNIMPLEMENTED -> "; ZooKeeper 3.6 or newer is needed";
            case QUOTAEXCEEDED -> "; raise the quota";
            default -> "";
        };
        return new LockException(
                "ZooKeeper at " + store + " refused " + what + ": " + code.name() + remedy + "; " + outcome,
                KeeperException.create(code));
    }

    static StoreUnavailableException silent(String store, String what, boolean sent, @Nullable String why) {
        return new StoreUnavailableException(
                store + (sent ? " did not answer " : " could not be asked for ") + what + " in time"
                        + (sent ? ", which may have been carried out" : ", and nothing was sent")
                        + (why == null ? "" : ": " + why)
                        + ". Check that the ensemble has a leader and is reachable",
                store,
                sent ? Outcome.UNKNOWN : Outcome.NOT_CARRIED_OUT,
                null);
    }

    static LockException closed(String store) {
        return new LockException("the store " + store + " has been closed by this client; nothing was done");
    }
}
