package dev.leasehold.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A process tree is a command and all that it has started, to be ended: it does the work of the {@link Guard}, for the
 * case that the guard itself has died.
 *
 * <p>Whatever was found once stays known, with what descends from it: a descendant that has cleaned its environment is found
 * through its parent only, and the parent may die of the very SIGTERM that the descendant survives. A handle knows when its
 * process was started, so that a later process with the same number is not taken for it.
 */
final class ProcessTree {

    private final String mark;
    private final ProcessHandle root;
    private Set<ProcessHandle> known = Set.of();

    ProcessTree(String mark, ProcessHandle root) {
        this.mark = mark;
        this.root = root;
    }

    /** Sends SIGTERM to all, and returns whether there was anything. */
    boolean terminate() {
        Set<ProcessHandle> members = members();
        members.forEach(ProcessHandle::destroy);
        return !members.isEmpty();
    }

    /**
     * Sends SIGKILL to all, and returns whether there was anything. To be repeated, since more may be starting. Those
     * that are known get it first: a search reads all processes of the machine, which takes its time when the machine
     * is busy.
     */
    boolean kill() {
        boolean wasThere = !known.isEmpty();
        known.forEach(ProcessHandle::destroyForcibly);
        Set<ProcessHandle> members = members();
        members.forEach(ProcessHandle::destroyForcibly);
        return wasThere || !members.isEmpty();
    }

    boolean isThere() {
        return !members().isEmpty();
    }

    private Set<ProcessHandle> members() {
        Set<ProcessHandle> found = new LinkedHashSet<>(Set.of(root));
        found.addAll(marked());
        found.addAll(known);
        Set<ProcessHandle> members = new LinkedHashSet<>();
        for (ProcessHandle one : found) {
            if (isRunning(one) && members.add(one)) {
                one.descendants().filter(ProcessTree::isRunning).forEach(members::add);
            }
        }
        known = members;
        return members;
    }

    private Set<ProcessHandle> marked() {
        Set<ProcessHandle> marked = new LinkedHashSet<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (isMarked(process)) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(marked::add);
                }
            }
        } catch (IOException e) {
            // No /proc: what descends from the command is all that can be found.
        }
        return marked;
    }

    /**
     * Returns whether a process runs. One that has ended and that its parent has not taken note of yet is alive to its
     * handle. Its state is that of its main thread, which may have ended before the others.
     */
    private static boolean isRunning(ProcessHandle process) {
        if (!process.isAlive()) {
            return false;
        }
        Path directory = Path.of("/proc", Long.toString(process.pid()));
        try {
            return isRunning(directory) || anyThread(directory, ProcessTree::isRunning);
        } catch (IOException e) {
            return process.isAlive();
        }
    }

    private static boolean isRunning(Path thread) throws IOException {
        String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
        char state = stat.charAt(stat.lastIndexOf(')') + 2);
        return state != 'Z' && state != 'X';
    }

    /**
     * Returns whether a process carries the mark. Its environment goes with its main thread, but not that of the other
     * threads.
     */
    private boolean isMarked(Path process) {
        try {
            return isRunning(process) ? carriesTheMark(process) : anyThread(process, this::carriesTheMark);
        } catch (IOException e) {
            return false;
        }
    }

    private boolean carriesTheMark(Path thread) throws IOException {
        return new String(Files.readAllBytes(thread.resolve("environ")), StandardCharsets.ISO_8859_1).contains(mark);
    }

    private interface Question {
        boolean ask(Path thread) throws IOException;
    }

    private static boolean anyThread(Path process, Question question) throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path thread : threads) {
                try {
                    if (question.ask(thread)) {
                        return true;
                    }
                } catch (IOException e) {
                    // This thread has ended meanwhile, or is not ours to look at.
                }
            }
        }
        return false;
    }
}
