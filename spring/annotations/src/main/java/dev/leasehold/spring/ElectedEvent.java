package dev.leasehold.spring;

/**
 * An elected event is published in the application when this instance has been elected. Listeners are called on the
 * client's executor; long work belongs elsewhere.
 *
 * @param office the office
 * @param term the token of the term: greater than that of every earlier one
 */
public record ElectedEvent(String office, long term) {}
