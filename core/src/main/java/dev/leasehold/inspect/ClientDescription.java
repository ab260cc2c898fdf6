package dev.leasehold.inspect;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A client description says who a client is, for people: nothing may be decided by it. Stores keep it as text, {@code host=H
 * pid=P label=L}, beside leases and waiters.
 *
 * @param host the host's name, empty where it is not known
 * @param pid the process id, a number of that host alone; 0 where it is not known
 * @param label what the client was labelled with, empty for nothing; for a client that has described itself in another form,
 *     its whole text
 */
public record ClientDescription(String host, long pid, String label) {

    private static final Pattern FORM =
            Pattern.compile("(?:host=(\\S*) ?)?(?:pid=(\\d{1,18}) ?)?(?:label=(.*))?", Pattern.DOTALL);

    /** Checks the parts. */
    public ClientDescription {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(label, "label");
    }

    /**
     * Reads the text of a description. Never fails.
     *
     * @param text as {@link #text()} writes it, or any other
     * @return the parts; a text of another form is all label
     */
    public static ClientDescription parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return new ClientDescription("", 0, text);
        }
        String host = matcher.group(1);
        String pid = matcher.group(2);
        String label = matcher.group(3);
        return new ClientDescription(
                host == null ? "" : host, pid == null ? 0 : Long.parseLong(pid), label == null ? "" : label);
    }

    /** {@return the description as text} The label stands last, since it may have spaces. */
    public String text() {
        StringBuilder text = new StringBuilder();
        if (!host.isEmpty()) {
            text.append("host=").append(host);
        }
        if (pid != 0) {
            text.append(text.isEmpty() ? "" : " ").append("pid=").append(pid);
        }
        if (!label.isEmpty()) {
            text.append(text.isEmpty() ? "" : " ").append("label=").append(label);
        }
        return text.toString();
    }
}
