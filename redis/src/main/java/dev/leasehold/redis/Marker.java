package dev.leasehold.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The marker of a master as it has told it (see {@code marker.lua}), and what follows from its text. A ballot that names the
 * text spares the master that work: it only compares, and where its marker is another by now it works everything out anew.
 * So nothing here has to be true still, and nothing decides that the master has not looked at itself. Immutable.
 *
 * @param text the whole of it
 * @param words the same, as it is sent
 * @param run the id of the server's run
 * @param votesFrom since when, or from when on, the master has a vote, in microseconds of its clock
 * @param half half of the longest lease, in microseconds: how far a token may be from the master's clock
 */
record Marker(String text, Words words, String run, long votesFrom, long half) {

    private static final Pattern FORM = Pattern.compile("leasehold\\|1\\|([0-9a-f]+)-[0-9a-f]+\\|(\\d+)\\|\\d+\\|\\d");

    /** The least and the greatest number whose digits can be compared as text. */
    private static final long LEAST = 1_000_000_000_000_000L;

    private static final long MOST = 9_999_999_999_999_999L;

    static Marker of(String text, MarkerRules rules) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("not a marker: " + text);
        }
        return new Marker(
                text,
                Words.of(text),
                parts.group(1),
                Long.parseLong(parts.group(2)) + Millis.up(rules.waitFor()) * 1000,
                Millis.up(rules.maxLease()) * 500);
    }

    /** Later than this, by the master's clock, it has its vote, and the run does not end too far ahead of it. */
    long from(Ballot ballot) {
        return Math.max(votesFrom, ballot.endOfRun() - half);
    }

    /** Before this, by the master's clock, a master without a record of the last token accepts the proposal. */
    long until(Ballot ballot) {
        return ballot.token() + half;
    }

    /**
     * Whether the short way may be offered: not for a proposal that could have been given out before the master had its vote,
     * nor where texts cannot be compared like numbers.
     */
    boolean suits(Ballot ballot) {
        return ballot.token() > votesFrom - half
                && ballot.token() >= LEAST
                && from(ballot) >= LEAST
                && until(ballot) <= MOST
                && ballot.endOfRun() <= MOST;
    }
}
