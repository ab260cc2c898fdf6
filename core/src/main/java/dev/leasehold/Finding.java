package dev.leasehold;

import java.util.Objects;

/**
 * One thing that an examination of a store has found, good or bad. Immutable.
 *
 * <p>Later versions may add parts: read it by its accessors, and leave its making to the library.
 *
 * @param severity how bad it is
 * @param code names the kind of finding to programs, as {@code redis-evicts}; never changes its meaning
 * @param node the server or file, without credentials
 * @param what what was seen, in a sentence
 * @param consequence what that does to locks; empty if it is fine
 * @param remedy what to do about it; empty if it is fine
 * @param fault after which fault, because of this, locks are <i>fenced only</i>: two may believe that they hold one for a
 *     while, and only their tokens tell them apart; empty if there is none
 */
public record Finding(
        Severity severity, String code, String node, String what, String consequence, String remedy, String fault) {

    /** How bad a finding is, the worst first. */
    public enum Severity {
        /** Locks do not work here, or are lost without any fault. */
        SERIOUS,
        /** A fault that happens in practice makes locks worth less than they could be. */
        WARNING,
        /** Worth knowing; also what could not be seen. */
        NOTE,
        /** It was looked at, and is as it should be. */
        FINE
    }

    /** Checks the parts. */
    public Finding {
        Objects.requireNonNull(severity, "severity");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(consequence, "consequence");
        Objects.requireNonNull(remedy, "remedy");
        Objects.requireNonNull(fault, "fault");
    }

    /**
     * Begins a finding: what was seen.
     *
     * @param severity how bad it is
     * @param code its kind
     * @param node the server or file, without credentials
     * @param what what was seen
     * @return the finding, without consequence, remedy and fault
     */
    public static Finding of(Severity severity, String code, String node, String what) {
        return new Finding(severity, code, node, what, "", "", "");
    }

    /**
     * Adds what it means and what to do.
     *
     * @param newConsequence what it does to locks
     * @param newRemedy what to do about it
     * @return the changed copy
     */
    public Finding meaning(String newConsequence, String newRemedy) {
        return new Finding(severity, code, node, what, newConsequence, newRemedy, fault);
    }

    /**
     * Adds after which fault locks are fenced only.
     *
     * @param newFault the fault, for a list: {@code a restart of the server}
     * @return the changed copy
     */
    public Finding fencedOnlyAfter(String newFault) {
        return new Finding(severity, code, node, what, consequence, remedy, newFault);
    }
}
