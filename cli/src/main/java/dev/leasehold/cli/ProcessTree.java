package dev.leasehold.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Ends a command and all that it has started: what the {@link Guard} does, for the case that the guard itself has died. */
final class ProcessTree {

    private final String mark;
    private final ProcessHandle root;

    ProcessTree(String mark, ProcessHandle root) {
        this.mark = mark;
        this.root = root;
    }

    /** SIGTERM now, SIGKILL after the grace; returns when nothing is left. */
    void end(Duration grace) throws InterruptedException {
        long start = System.nanoTime();
        members().forEach(ProcessHandle::destroy);
        Set<ProcessHandle> left = members();
        while (!left.isEmpty()) {
            if (System.nanoTime() - start >= grace.toNanos()) {
                left.forEach(ProcessHandle::destroyForcibly);
            }
            TimeUnit.MILLISECONDS.sleep(20);
            left = members();
        }
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
