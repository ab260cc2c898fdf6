package dev.leasehold.zookeeper;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Claim requests know the session that a claim is bound to, and whether a request of the claim is under way there: at
 * most one is at a time. Used by tasks of the client's serial executor only.
 */
final class ClaimRequests {

    private final PendingCallers callers;
    private @Nullable Session session;
    private boolean busy;
    private boolean sent;
    private boolean over;

    ClaimRequests(PendingCallers callers) {
        this.callers = callers;
    }

    /** Notes that a request is about to be sent. */
    void begin() {
        busy = true;
        sent = true;
        callers.sending();
    }

    /** Notes that the work under way goes on with another request. */
    void goOn() {
        busy = true;
    }

    /** Ends the request under way; returns false if it belongs to a session that is over. */
    boolean finish(Session of) {
        if (!areIn(of)) {
            return false;
        }
        busy = false;
        return true;
    }

    /** Notes that the session is over: nothing is under way any more. */
    void forgetSession() {
        session = null;
        busy = false;
    }

    void bindTo(Session to) {
        session = to;
    }

    boolean isBoundTo(Session other) {
        return session == other;
    }

    /** Notes that the claim is over. */
    void end() {
        over = true;
    }

    boolean areOver() {
        return over;
    }

    boolean areIdle() {
        return !busy && !over;
    }

    boolean areIn(Session of) {
        return !over && session == of;
    }

    /** Returns whether a request may have reached a server. */
    boolean wereSent() {
        return sent;
    }

    Session session() {
        return Objects.requireNonNull(session, "the session of a claim that has a node");
    }
}
