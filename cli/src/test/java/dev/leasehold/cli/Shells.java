package dev.leasehold.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Shells are those that may be {@code /bin/sh} somewhere, as far as this machine has them. */
final class Shells {

    private Shells() {}

    static Stream<List<String>> present() {
        return Stream.of(
                        List.of("/bin/sh"),
                        List.of("/bin/dash"),
                        List.of("/bin/bash", "--posix"),
                        List.of(onThePath("busybox"), "sh"))
                .filter(shell -> Files.isExecutable(Path.of(shell.get(0))))
                .filter(shell -> !shell.equals(List.of("/bin/sh")) || !isDash(Path.of("/bin/sh")));
    }

    /** Then it is among these already. */
    private static boolean isDash(Path shell) {
        try {
            return shell.toRealPath().equals(Path.of("/bin/dash").toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    private static String onThePath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> directory + "/" + program)
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst()
                .orElse("/missing");
    }
}
