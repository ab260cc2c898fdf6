package dev.leasehold.cli;

import dev.leasehold.LeaseLostException;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Main is the program: its commands, and how each failure becomes one line and a status. */
@Command(
        name = "leasehold",
        description = "Runs commands under distributed locks, shows locks, and breaks them.",
        synopsisSubcommandLabel = "COMMAND",
        descriptionHeading = "%n",
        commandListHeading = "%nCommands:%n",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        footerHeading = "%n",
        footer = {
            "Without --store and $LEASEHOLD_STORE locks live in a file of the user's own: another user of the machine, root included, has",
            "others, and both get the lock. For the jobs of several users name one store for all."
        })
final class Main {

    private static final Map<String, String> STATUSES = new LinkedHashMap<>();

    /** Those that `run` alone can end with. */
    private static final List<String> OF_RUN = List.of("75", "79", "126", "127", "128+N", "else");

    static {
        STATUSES.put("64", "bad usage");
        STATUSES.put("69", "the store is unavailable; trying again may help");
        STATUSES.put("70", "leasehold itself failed, or its guard process died and the command was ended");
        STATUSES.put("74", "standard output cannot be written");
        STATUSES.put("75", "busy: somebody else holds the lock (another status with --busy-exit)");
        STATUSES.put("78", "the store refuses, and trying again will not help");
        STATUSES.put("79", "the lock was lost");
        STATUSES.put("126", "the command cannot be executed");
        STATUSES.put("127", "the command was not found");
        STATUSES.put("128+N", "ended by signal N, as 143 by SIGTERM");
        STATUSES.put(
                "else",
                "the command's own status; show: 1 if nobody holds the lock; break: 1 if nothing was broken, as when you decline; "
                        + "doctor: 1 if it warns, 2 if something is serious; quorum: 1 if there is no majority or you decline");
    }

    final Terminal terminal;

    private Main(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Starts the program. */
    public static void main(String[] arguments) {
        NativeLibrary.prepare();
        System.exit(run(Terminal.standard(), RawArguments.of(arguments)));
    }

    /** Returns the status to exit with. */
    static int run(Terminal terminal, String... arguments) {
        try {
            int status = commandLine(terminal, arguments).execute(arguments);
            if (status == ExitStatus.OK) {
                // The help.
                terminal.flush();
            }
            return status;
        } catch (Failure e) {
            terminal.say(Escapes.lines(String.valueOf(e.getMessage())));
            return e.status();
        } catch (RuntimeException | Error e) {
            terminal.say(Escapes.shown(e.toString()));
            return ExitStatus.INTERNAL;
        }
    }

    static CommandLine commandLine(Terminal terminal, String... arguments) {
        CommandLine line = new CommandLine(new Main(terminal));
        Map<String, Callable<Integer>> commands = new LinkedHashMap<>();
        commands.put("run", new RunCommand());
        commands.put("ls", new ListCommand());
        commands.put("show", new ShowCommand());
        commands.put("break", new BreakCommand());
        commands.put("doctor", new DoctorCommand());
        commands.put("quorum", new QuorumCommand());
        // Describing a command to picocli takes time, so only the one that is asked for is described.
        if (arguments.length > 0 && commands.containsKey(arguments[0])) {
            commands.keySet().retainAll(Set.of(arguments[0]));
        }
        commands.forEach((name, command) -> {
            CommandLine sub = new CommandLine(command);
            sub.setStopAtPositional(command instanceof RunCommand);
            sub.getCommandSpec().mixinStandardHelpOptions(true).versionProvider(new Version());
            describeStatuses(sub, command instanceof RunCommand);
            sub.getSubcommands().values().forEach(inner -> {
                inner.getCommandSpec().mixinStandardHelpOptions(true).versionProvider(new Version());
                describeStatuses(inner, false);
            });
            line.addSubcommand(name, sub);
        });
        describeStatuses(line, true);
        line.registerConverter(Duration.class, Main::duration);
        line.setExpandAtFiles(false);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setOut(terminal.out());
        line.setErr(terminal.err());
        line.setParameterExceptionHandler((failure, given) -> usage(failure, terminal));
        line.setExecutionExceptionHandler((failure, failed, result) -> status(failure, failed, terminal));
        return line;
    }

    private static Duration duration(String text) {
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }

    private static void describeStatuses(CommandLine line, boolean ofRun) {
        Map<String, String> statuses = new LinkedHashMap<>(STATUSES);
        if (!ofRun) {
            statuses.keySet().removeAll(OF_RUN);
        }
        line.getCommandSpec()
                .usageMessage()
                .exitCodeListHeading("%nExit statuses:%n")
                .exitCodeList(statuses);
    }

    private static int usage(ParameterException failure, Terminal terminal) {
        CommandLine command = failure.getCommandLine();
        String help = command.getCommandSpec().qualifiedName() + " --help";
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof UnmatchedArgumentException unmatched && command.getParent() == null) {
            message = "unknown command '" + unmatched.getUnmatched().get(0) + "'; there are "
                    + String.join(", ", command.getSubcommands().keySet());
        }
        terminal.say(Escapes.shown(message) + " (see: " + help + ")");
        return ExitStatus.USAGE;
    }

    private static int status(Exception failure, CommandLine failed, Terminal terminal) {
        if (failure instanceof ParameterException usage) {
            return usage(usage, terminal);
        }
        if (failure instanceof IllegalArgumentException || failure instanceof UnsupportedOperationException) {
            return usage(new ParameterException(failed, String.valueOf(failure.getMessage())), terminal);
        }
        int status;
        if (failure instanceof Failure known) {
            status = known.status();
        } else if (failure instanceof StoreUnavailableException) {
            status = ExitStatus.UNAVAILABLE;
        } else if (failure instanceof LeaseLostException) {
            status = ExitStatus.LOST;
        } else if (failure instanceof LockException) {
            status = ExitStatus.CONFIG;
        } else {
            status = ExitStatus.INTERNAL;
        }
        boolean speaks =
                failure instanceof LockException || failure instanceof Failure || failure instanceof IOException;
        terminal.say(Escapes.lines(speaks ? String.valueOf(failure.getMessage()) : failure.toString()));
        return status;
    }

    /** The version is read from the jar. */
    static final class Version implements CommandLine.IVersionProvider {

        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"leasehold " + (version == null ? "(development)" : version)};
        }
    }
}
