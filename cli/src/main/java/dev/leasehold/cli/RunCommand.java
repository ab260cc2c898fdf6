package dev.leasehold.cli;

import dev.leasehold.LockOptions;
import dev.leasehold.internal.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The run command reads the options of {@code leasehold run}, and has a {@link Run} run the command under a lock. */
@Command(
        name = "run",
        description = "Runs a command while holding a lock.",
        customSynopsis = "leasehold run [OPTIONS] NAME [--] COMMAND [ARGUMENT…]",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions, which go before NAME:%n",
        footer = {
            "",
            "The command sees LEASEHOLD_NAME and LEASEHOLD_TOKEN, the fencing token, which is greater than that of "
                    + "every earlier holder. The lock is released when the command has ended. SIGTERM, SIGHUP and SIGINT are "
                    + "passed on to it.",
            "",
            "With --slots it also sees LEASEHOLD_SLOT, the smallest number from 0 on that no other holder has. If several "
                    + "runs of one NAME give different numbers, the smallest of those that hold it counts. A run that does "
                    + "not fit waits, and stops those behind it.",
            "",
            "If the lease cannot be renewed, the command and all its descendants get SIGTERM one grace before the lease "
                    + "ends, and SIGKILL a moment before it ends, so that it never runs beside the next holder's; also when "
                    + "leasehold itself was killed or stopped.",
            "",
            "DURATION is a number of seconds, or a number with ms, s, m, h or d, or ISO 8601 as PT2M30S."
        })
final class RunCommand implements Callable<Integer> {

    private static final int LONGEST_LABEL = 200;
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    private static final int LARGEST_STATUS = 255;

    /**
     * When cron starts dozens of jobs at once, the machine is busy for longer than a client waits by default. Who tries once
     * wants to know soon.
     */
    private static final Duration STORE_TIMEOUT = Duration.ofMinutes(1);

    private static final int FEWEST_SLOTS = 2;
    private static final int MOST_SLOTS = 1024;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin
    StoreOption store = new StoreOption();

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "DURATION",
            description = "How long to wait for the lock; 0 is one try. Default: for ever.")
    @Nullable Duration wait;

    @Option(
            names = {"-n", "--no-wait"},
            description = "Try once, as --wait 0.")
    boolean noWait;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Share the lock: at most N hold it at a time, 2 to 1024, each with a slot from 0 to N-1.")
    @Nullable Integer slots;

    @Option(
            names = "--shared",
            description = "Hold the lock as a reader: beside all other readers, and beside nobody that runs without "
                    + "--shared.")
    boolean shared;

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description = "How long the lock stays taken at most when this machine dies. Default: 30s.")
    Duration lease = Duration.ofSeconds(30);

    @Option(
            names = "--min-hold",
            paramLabel = "DURATION",
            defaultValue = "0",
            description = "How long the lock stays taken at least, even if the command is quicker. Default: 0.")
    Duration minHold = Duration.ZERO;

    @Option(
            names = "--max-hold",
            paramLabel = "DURATION",
            description = "How long the command may run; then it is ended as if the lock were lost. Default: no limit.")
    @Nullable Duration maxHold;

    enum OnLoss {
        KILL,
        IGNORE
    }

    @Option(
            names = "--on-loss",
            paramLabel = "kill|ignore",
            description =
                    "What happens to the command when the lock is lost. Default: kill; ignore where there is no /proc. "
                            + "ignore lets it go on, and its status is passed on; check the token where it writes.")
    @Nullable OnLoss onLoss;

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            defaultValue = "5s",
            description = "Between SIGTERM and SIGKILL. Default: 5s; never more than a sixth of the lease.")
    Duration grace = Duration.ofSeconds(5);

    @Option(
            names = {"-E", "--busy-exit"},
            paramLabel = "STATUS",
            defaultValue = "75",
            description = "With what to exit if somebody else still holds the lock, 0 to 255. Default: 75.")
    int busyExit = ExitStatus.BUSY;

    @Option(
            names = "--store-timeout",
            paramLabel = "DURATION",
            description =
                    "How long a store that does not answer is waited for, 10ms to 1h. Default: 1m, with --no-wait 10s, "
                            + "or what the URI says with leasehold.storeTimeout.")
    @Nullable Duration storeTimeout;

    @Option(
            names = {"-v", "--verbose"},
            description = "Tell on standard error whom this waits for, since when, and in which place.")
    boolean verbose;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock: 1 to 512 bytes, any but NUL.")
    String name = "";

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "COMMAND", description = "The command and its arguments.")
    List<String> words = List.of();

    @Override
    public Integer call() throws Exception {
        Use use = use();
        dev.leasehold.cli.Command given = new dev.leasehold.cli.Command(command());
        Duration longest = maxHold == null ? LockOptions.FOREVER : between("--max-hold", maxHold, SHORTEST_LEASE);
        Duration asked = between("--lease", lease, SHORTEST_LEASE);
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(asked.compareTo(longest) > 0 ? longest : asked)
                .withMinHold(between("--min-hold", minHold, Duration.ZERO))
                .withMaxHold(longest);
        dev.leasehold.cli.Command command = minHold.isZero() ? given : given.observed();
        RunSettings settings = new RunSettings(
                command,
                options.leaseDuration(),
                options.maxHold(),
                between("--grace", grace, Duration.ZERO),
                killsOnLoss(onLoss, BootClock.isPresent()),
                RunSettings.Forgo.NOTHING);
        if (busyExit < 0 || busyExit > LARGEST_STATUS) {
            throw usage("--busy-exit must be 0 to " + LARGEST_STATUS + ", but was " + busyExit);
        }
        StderrLoggers.verbose = verbose;
        Terminal terminal = store.terminal();
        if (onLoss == null && !settings.killOnLoss()) {
            terminal.say(
                    "this system has no /proc, so that a lost lock does not end the command (as with --on-loss ignore): "
                            + "check the token LEASEHOLD_TOKEN where the command writes");
        }
        if (verbose && store.isUsersOwn()) {
            terminal.say("the store is " + store.shown()
                    + ", this user's own: what another user locks, root included, is not seen here");
        }
        Duration longestWait = maxWait();
        Duration patience = longestWait != null && longestWait.isZero() ? null : STORE_TIMEOUT;
        return new Run(name, use, options, longestWait, busyExit, verbose, settings, terminal)
                .call(store.connect(command.label(LONGEST_LABEL), storeTimeout, patience), store);
    }

    /**
     * Returns whether a lost lock ends the command. Without /proc the guard cannot find the command's processes: then a
     * lost lock ends nothing, unless it was asked to.
     */
    boolean killsOnLoss(@Nullable OnLoss given, boolean hasProc) {
        if (given == OnLoss.KILL && !hasProc) {
            throw usage("the guard of --on-loss kill needs /proc, which this system does not have; "
                    + "use --on-loss ignore and check the token where the command writes");
        }
        return given == null ? hasProc : given == OnLoss.KILL;
    }

    private Use use() {
        if (slots == null) {
            return shared ? new Use.Shared() : new Use.Alone();
        }
        if (shared) {
            throw usage(
                    "--slots and --shared exclude each other: a number of holders is a limit, and readers have none");
        }
        if (slots < FEWEST_SLOTS || slots > MOST_SLOTS) {
            throw usage("--slots must be " + FEWEST_SLOTS + " to " + MOST_SLOTS + ", but was " + slots
                    + (slots == 1 ? "; one at a time is what run does without it" : ""));
        }
        return new Use.Slots(slots);
    }

    private List<String> command() {
        boolean separated = !words.isEmpty() && words.get(0).equals("--");
        List<String> command = separated ? words.subList(1, words.size()) : words;
        if (command.isEmpty()) {
            throw usage("no COMMAND: what should run while the lock '" + Escapes.shown(name) + "' is held?");
        }
        if (command.get(0).startsWith("-")) {
            throw usage("'" + Escapes.shown(command.get(0))
                    + "' stands where the command should be: options go before NAME, and a command of that name is run by "
                    + "its path");
        }
        return command;
    }

    /** Returns how long to wait, null for ever. */
    private @Nullable Duration maxWait() {
        if (noWait) {
            if (wait != null) {
                throw usage("--no-wait and --wait exclude each other");
            }
            return Duration.ZERO;
        }
        if (wait != null && wait.isNegative()) {
            throw usage("--wait must not be negative; --no-wait tries once");
        }
        return wait == null || wait.compareTo(LockOptions.FOREVER) > 0 ? null : wait;
    }

    private Duration between(String option, Duration duration, Duration least) {
        if (duration.compareTo(least) < 0 || duration.compareTo(LockOptions.FOREVER) > 0) {
            throw usage(
                    option + " must be " + (least.isZero() ? "0" : DurationText.of(least)) + " to 36500 days, but was "
                            + (duration.compareTo(Durations.HUGE) >= 0
                                    ? "more"
                                    : duration.isNegative() ? "negative" : DurationText.of(duration)));
        }
        return duration;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
