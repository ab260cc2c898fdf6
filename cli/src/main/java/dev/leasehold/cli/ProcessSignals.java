package dev.leasehold.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Process signals are received from the operating system, passed on as events, and sent to the command. */
final class ProcessSignals {

    /** Those that end a process; SIGQUIT is the JVM's own. */
    private static final List<String> CAUGHT = List.of("TERM", "HUP", "INT", "USR1", "USR2");

    /** Those that mean something to a command alone. */
    private static final List<String> FOR_COMMANDS = List.of("WINCH");

    private static final List<String> FROM_TERMINAL = List.of("INT", "WINCH");

    private static final Duration YOUNG = Duration.ofSeconds(1);

    private ProcessSignals() {}

    /**
     * Has signals told instead of ending this process. One that was ignored when we started, as by nohup, stays so.
     *
     * <p>{@code sun.misc.Signal} is exported for this use and has no successor, but the compiler warns of it in a way that
     * cannot be switched off; hence the reflection.
     */
    static void listen(Consumer<Event> events) {
        listen(CAUGHT, events);
    }

    /**
     * Has the signals told that mean something to a command alone. To be called when there will be a command at once:
     * it may look at its window before we have seen that it runs.
     */
    static void listenForCommand(Consumer<Event> events) {
        listen(FOR_COMMANDS, events);
    }

    private static void listen(List<String> names, Consumer<Event> events) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            for (String name : names) {
                Object caught = signal.getConstructor(String.class).newInstance(name);
                int number = (int) signal.getMethod("getNumber").invoke(caught);
                Object tell = Proxy.newProxyInstance(
                        ProcessSignals.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                            events.accept(new Event.Signalled(name, number));
                            return null;
                        });
                signal.getMethod("handle", signal, handler).invoke(null, caught, tell);
            }
        } catch (InvocationTargetException e) {
            // The JVM keeps its signals to itself (-Xrs): they end us, and the guard ends the command.
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no signals: the module jdk.unsupported is missing", e);
        }
    }

    /**
     * Returns whether the command has had this signal of ours from the terminal, as Ctrl-C. It has not if it was not
     * there yet; and since a signal takes a moment to arrive, a young command rather gets it twice than never.
     */
    static boolean commandHasIt(String name, Duration age, boolean terminalDelivers) {
        return FROM_TERMINAL.contains(name) && terminalDelivers && age.compareTo(YOUNG) > 0;
    }

    /** Sends a signal to the command itself, as a shell would. */
    static void send(String name, Process command) {
        if (!command.isAlive()) {
            return;
        }
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, Long.toString(command.pid()))
                    .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            command.destroy();
        }
    }

    /**
     * Returns whether the terminal gives its signals to our process group, the command's too. Field 5 of {@code
     * /proc/self/stat} is our group, 7 the terminal, 8 the group in its foreground.
     */
    static boolean terminalDelivers() {
        String stat = stat();
        return !stat.isEmpty() && isInForeground(stat);
    }

    /** Returns what the kernel says of this process; empty where it does not. */
    static String stat() {
        try {
            return Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns the fields from the third on, which follows the name. */
    static String[] fields(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    static boolean isInForeground(String stat) {
        String[] fields = fields(stat);
        return !fields[4].equals("0") && fields[2].equals(fields[5]);
    }
}
