package dev.leasehold.doctor;

import java.util.Objects;

/**
 * A finding is one thing that an examination of a store has found, good or bad. Immutable.
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

    /** A severity says how bad a finding is, the worst first. */
    public enum Severity {
        /** Locks do not work here, or are lost without any fault. */
        SERIOUS,
        /** A fault that happens in practice makes locks worth less than they could be. */
        WARNING,
        /** The finding is worth knowing, or something could not be looked at. */
        NOTE,
        /** The thing was looked at, and is as it should be. */
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
     * Begins a finding with what was seen.
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
     * Adds the consequence and the remedy.
     *
     * @param newConsequence what it does to locks
     * @param newRemedy what to do about it
     * @return the changed copy
     */
    public Finding meaning(String newConsequence, String newRemedy) {
        return new Finding(severity, code, node, what, newConsequence, newRemedy, fault);
    }

    /**
     * Adds the fault after which locks are fenced only.
     *
     * @param newFault the fault, for a list: {@code a restart of the server}
     * @return the changed copy
     */
    public Finding fencedOnlyAfter(String newFault) {
        return new Finding(severity, code, node, what, consequence, remedy, newFault);
    }
}
