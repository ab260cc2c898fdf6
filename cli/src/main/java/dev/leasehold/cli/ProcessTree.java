package dev.leasehold.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/** Ends a command and all that it has started: what the {@link Guard} does, for the case that the guard itself has died. */
final class ProcessTree {

    private final String mark;
    private final ProcessHandle root;

    ProcessTree(String mark, ProcessHandle root) {
        this.mark = mark;
        this.root = root;
    }

    /** Sends SIGTERM to all; whether there was anything. */
    boolean terminate() {
        Set<ProcessHandle> members = members();
        members.forEach(ProcessHandle::destroy);
        return !members.isEmpty();
    }

    /** Sends SIGKILL to all; whether there was anything. To be repeated, since more may be starting. */
    boolean kill() {
        Set<ProcessHandle> members = members();
        members.forEach(ProcessHandle::destroyForcibly);
        return !members.isEmpty();
    }

    boolean isThere() {
        return !members().isEmpty();
    }

    private Set<ProcessHandle> members() {
        Set<ProcessHandle> members = new LinkedHashSet<>();
        if (root.isAlive()) {
            members.add(root);
            root.descendants().filter(ProcessHandle::isAlive).forEach(members::add);
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (carriesTheMark(process.resolve("environ"))) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(members::add);
                }
            }
        } catch (IOException e) {
            // No /proc: what descends from the command is all that can be found.
        }
        return members;
    }

    private boolean carriesTheMark(Path environ) {
        try {
            return new String(Files.readAllBytes(environ), StandardCharsets.ISO_8859_1).contains(mark);
        } catch (IOException e) {
            return false;
        }
    }
}
