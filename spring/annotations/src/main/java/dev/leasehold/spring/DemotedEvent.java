package dev.leasehold.spring;

/**
 * A demoted event is published in the application when this instance leads no longer. Nobody else is elected before all
 * listeners have returned, unless the lease runs out.
 *
 * @param office the office
 * @param term the token of the term that has ended
 */
public record DemotedEvent(String office, long term) {}
