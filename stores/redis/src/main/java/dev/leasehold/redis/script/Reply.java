package dev.leasehold.redis.script;

import dev.leasehold.LockException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.internal.WholeMillis;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A reply reads the scripts' answers. {@code lock.lua} describes the layout of values and answers. */
public final class Reply {

    /** A holder whose value is not one of ours gets this name: the value may be a secret. */
    private static final String FOREIGN_OWNER = "another client, not of Leasehold";

    private static final String LAYOUT = "leasehold|1|";
    private static final String SHARED_LAYOUT = "leasehold|2|";
    private static final Pattern LINES = Pattern.compile("\n");
    private static final int HOLDER_PARTS = 8;
    private static final String OURS = "leasehold|";
    private static final int VALUE_PARTS = 7;
    private static final int MOST_SHOWN = 200;

    /** With this much room a beginning is not copied while it is written. */
    private static final int USUAL_LENGTH = 112;

    /**
     * A token has at least this many digits: the server's clock in microseconds has seven after one second. A shorter
     * number that stands for itself is the length of another answer, say, whose first byte was spoilt on its way.
     */
    private static final int LEAST_DIGITS = 7;

    /** A master of a quorum keeps this there; see {@code lock.lua}. */
    private static final Pattern BEHIND_THE_OWNER = Pattern.compile("\n[\\d|]*$");

    /** A claim's answer begins with this, and has {@link #BUSY_PARTS} parts, where the lock is not granted. */
    public static final String BUSY = "busy|";

    public static final int BUSY_PARTS = 6;

    /** A reader makes sense of an answer. */
    public interface Reader<T> {
        T read(ClockReading sentAt, List<Object> answer);
    }

    private Reply() {}

    /**
     * Reads an answer into a result, which fails if it makes no sense.
     *
     * @param node the server
     * @param what what it was asked for
     */
    public static <T> void read(
            CompletableFuture<T> result,
            Reader<T> reader,
            ClockReading sentAt,
            List<Object> answer,
            String node,
            String what) {
        try {
            result.complete(reader.read(sentAt, answer));
        } catch (RuntimeException e) {
            result.completeExceptionally(new LockException(
                    "the answer of " + node + " to " + what + " makes no sense: " + beginningOf(answer)
                            + "; is it a Redis, and nothing else in between?",
                    e));
        } catch (Error e) {
            result.completeExceptionally(e);
        }
    }

    /** Returns enough of an answer to recognise it by; the answer may be of any length. */
    private static String beginningOf(List<Object> answer) {
        String text =
                answer.stream().limit(MOST_SHOWN).map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
        return text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "…" : text;
    }

    /** Returns the beginning of a lock's value while a lease is there. */
    public static String beginning(LeaseId lease) {
        return beginning(LAYOUT, lease.claim())
                .append(lease.token())
                .append('|')
                .toString();
    }

    /** Returns the beginning of a lock's value that a claim is granted. */
    public static String beginning(ClaimId claim) {
        return beginning(claim, false);
    }

    /**
     * Returns the beginning of the line that stands for a claim, of which no token is known.
     *
     * @param shares whether it is a reader's
     */
    public static String beginning(ClaimId claim, boolean shares) {
        return beginning(shares ? SHARED_LAYOUT : LAYOUT, claim).toString();
    }

    private static StringBuilder beginning(String layout, ClaimId claim) {
        return new StringBuilder(USUAL_LENGTH)
                .append(layout)
                .append(claim.client())
                .append(':')
                .append(claim.counter())
                .append('|');
    }

    /** Reads {@code granted|TOKEN|SPARE|TIME_LEFT}, or the token alone where the rest is as asked for. */
    public static ClaimAnswer.Granted granted(Claim claim, ClockReading sentAt, String answer) {
        if (answer.indexOf('|') < 0) {
            if (answer.length() < LEAST_DIGITS) {
                throw new IllegalArgumentException("no token has so few digits: " + answer);
            }
            return new ClaimAnswer.Granted(
                    new LeaseId(claim.lock(), claim.id(), token(answer)),
                    claim.spare(),
                    Validity.of(sentAt, Duration.ofMillis(WholeMillis.up(claim.lease()))));
        }
        int token = answer.indexOf('|') + 1;
        int spare = answer.indexOf('|', token) + 1;
        int left = answer.indexOf('|', spare) + 1;
        HolderTerms terms = HolderTerms.parse(answer.substring(spare, left - 1));
        return new ClaimAnswer.Granted(
                new LeaseId(claim.lock(), claim.id(), token(answer.substring(token, spare - 1))),
                terms.spare(),
                terms.slot(),
                Validity.of(sentAt, Duration.ofMillis(Long.parseLong(answer, left, answer.length(), 10))));
    }

    /** Reads the token of a grant. A number that is none comes from somebody else than our script. */
    private static long token(String text) {
        long token = Long.parseLong(text);
        if (token <= 0) {
            throw new IllegalArgumentException("no token is " + token);
        }
        return token;
    }

    /**
     * Returns the only part of an answer.
     *
     * @throws IllegalArgumentException if it has none, or several
     */
    public static Object only(List<Object> answer) {
        if (answer.size() != 1) {
            throw new IllegalArgumentException("one part was expected, not " + answer.size());
        }
        return answer.get(0);
    }

    /**
     * Returns the text that is the only part of an answer.
     *
     * @throws IllegalArgumentException if it has none, or several, or is no text
     */
    public static String onlyText(List<Object> answer) {
        if (only(answer) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("a text was expected");
    }

    public static long number(Object part) {
        return part instanceof Long number ? number : Long.parseLong(part.toString());
    }

    /**
     * Reads what is left of each of some leases.
     *
     * @throws IllegalArgumentException if it is not an answer for as many
     */
    public static List<RenewAnswer> renewed(ClockReading sentAt, List<Object> answer, int count) {
        if (answer.size() != count) {
            throw new IllegalArgumentException(count + " numbers were expected, not " + answer.size());
        }
        List<RenewAnswer> answers = new ArrayList<>(count);
        // Most are alike, and those held for long by one client share the object.
        RenewAnswer alike = new RenewAnswer.Lost();
        long before = -1;
        for (Object part : answer) {
            long left = Math.max(-1, number(part));
            if (left != before) {
                alike = left < 0
                        ? new RenewAnswer.Lost()
                        : new RenewAnswer.Renewed(Validity.of(sentAt, Duration.ofMillis(left)));
                before = left;
            }
            answers.add(alike);
        }
        return answers;
    }

    public static ReleaseAnswer released(List<Object> answer) {
        return number(answer.get(0)) == 1 ? ReleaseAnswer.RELEASED : ReleaseAnswer.NOT_HELD;
    }

    /** Reads an answer of PTTL: null for a key without an end, and where PTTL was not asked. */
    public static @Nullable Duration timeLeft(Object part) {
        if (part.equals("")) {
            return null;
        }
        long left = number(part);
        return left < 0 ? null : Duration.ofMillis(left);
    }

    public static @Nullable HolderInfo holder(String value, @Nullable Duration left, long nowMicros) {
        if (!value.isEmpty() && !value.startsWith(OURS)) {
            Instant until = left == null ? null : instant(nowMicros).plus(left);
            return new HolderInfo(FOREIGN_OWNER, 0, null, until, left);
        }
        String[] parts = value.split("\\|", VALUE_PARTS);
        if (parts.length < VALUE_PARTS || !(value.startsWith(SHARED_LAYOUT) || value.startsWith(LAYOUT))) {
            return null;
        }
        HolderTerms terms = value.startsWith(LAYOUT) ? HolderTerms.EXCLUSIVE : HolderTerms.parse(parts[4]);
        return new HolderInfo(
                BEHIND_THE_OWNER.matcher(parts[6]).replaceFirst(""),
                Long.parseLong(parts[3]),
                terms.share(),
                terms.shownSlot(),
                instant(Long.parseLong(parts[5])),
                left == null ? null : instant(nowMicros).plus(left),
                left);
    }

    public static @Nullable LockInfo lockInfo(String name, List<Object> answer) {
        long now = number(answer.get(0));
        List<HolderInfo> holders = holders(answer.get(1).toString(), timeLeft(answer.get(2)), now);
        List<WaiterInfo> waiters = new ArrayList<>();
        for (int i = 3; i + 2 < answer.size(); i += 3) {
            waiters.add(new WaiterInfo(
                    answer.get(i + 2).toString(),
                    waiters.size() + 1,
                    HolderTerms.shareOfClaim(answer.get(i + 1).toString()),
                    instant(number(answer.get(i)))));
        }
        return holders.isEmpty() && waiters.isEmpty() ? null : new LockInfo(name, holders, waiters, List.of());
    }

    private static List<HolderInfo> holders(String value, @Nullable Duration left, long now) {
        if (!value.startsWith(SHARED_LAYOUT)) {
            HolderInfo holder = holder(value, left, now);
            return holder == null ? List.of() : List.of(holder);
        }
        return LINES.splitAsStream(value)
                .skip(1)
                .map(line -> line.split("\\|", HOLDER_PARTS))
                .filter(parts -> parts.length == HOLDER_PARTS && Long.parseLong(parts[2]) > now)
                .map(parts -> oneOf(parts, now))
                .sorted(Comparator.comparingLong(HolderInfo::token))
                .toList();
    }

    private static HolderInfo oneOf(String[] parts, long now) {
        int slot = Integer.parseInt(parts[6]);
        Duration left = Duration.of(Long.parseLong(parts[2]) - now, ChronoUnit.MICROS);
        return new HolderInfo(
                parts[7],
                Long.parseLong(parts[1]),
                HolderTerms.share(parts[5]),
                slot < 0 ? OptionalInt.empty() : OptionalInt.of(slot),
                instant(Long.parseLong(parts[3])),
                instant(now).plus(left),
                left);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
