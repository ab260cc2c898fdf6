package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** These tests are about descriptors that a command inherits: it is started whatever becomes of them. */
class DescriptorsTest {

    private static final String DESCRIPTORS = "leasehold.descriptors";

    @TempDir
    Path dir;

    @AfterEach
    void forget() {
        System.clearProperty(DESCRIPTORS);
    }

    /** Starts a shell that becomes a command from a script that has these descriptors open; returns what was said. */
    private String said(List<String> shell, String descriptors, List<String> parent, String... words) throws Exception {
        System.setProperty(DESCRIPTORS, descriptors);
        List<String> line = new ArrayList<>(parent);
        line.addAll(shell);
        List<String> started = new Command(List.of(words)).commandLine("demo", null);
        line.addAll(started.subList(started.indexOf("-c"), started.size()));
        Process process = new ProcessBuilder(line)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private static List<String> bash(String script) {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")));
        return List.of("/bin/bash", "-c", script, "bash");
    }

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void aSocketIsLeftOut(List<String> shell) throws Exception {
        assumeTrue(new ProcessBuilder("perl", "-v").start().waitFor() == 0);
        List<String> perl = List.of(
                "perl",
                "-e",
                "use Socket; socketpair(A, B, AF_UNIX, SOCK_STREAM, PF_UNSPEC); open(C, '<', '/dev/null');"
                        + " die fileno(A) . fileno(C) if fileno(A) != 3 || fileno(C) != 5; exit(system(@ARGV) >> 8)");

        assertThat(said(shell, " 3 4 5", perl, "sh", "-c", "for i in 3 4 5; do [ -e /proc/$$/fd/$i ] && echo $i; done"))
                .isEqualTo("5\n");
    }

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void whatRootHasOpenedIsLeftOut(List<String> shell) throws Exception {
        assumeTrue("0"
                .equals(new String(new ProcessBuilder("id", "-u")
                                .start()
                                .getInputStream()
                                .readAllBytes())
                        .strip()));
        Files.createFile(dir.resolve("lock"));
        assertThat(dir.resolve("lock").toFile().setReadable(false, false)).isTrue();
        List<String> nobody = new ArrayList<>(bash("exec 9>lock 8< <(:); cd /; exec \"$@\""));
        nobody.addAll(List.of("setpriv", "--reuid=65534", "--clear-groups", "sh", "-c", "\"$@\"; exit $?", "sh"));

        assertThat(said(shell, " 8 9", nobody, "echo", "done")).isEqualTo("done\n");
    }

    /** A shell that knows no such descriptor takes it for a command, and there may be one. */
    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void descriptorsOfTwoDigitsStopNoShell(List<String> shell) throws Exception {
        List<String> high = bash("printf '#!/bin/sh\\necho twelve' >12; chmod +x 12; PATH=$PWD:$PATH"
                + "; exec 12</dev/null 7<<<seven; \"$@\"; exit $?");

        assertThat(said(shell, " 12 7", high, "sh", "-c", "cat <&7")).isEqualTo("seven\n");
    }

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void aFifoWithoutItsOtherEndIsNotWaitedFor(List<String> shell) throws Exception {
        List<String> alone = bash("mkfifo in out; exec 5<>in 6<in 5>&- 5<>out 7>out 5>&-; \"$@\"; exit $?");

        assertThat(said(shell, " 6 7", alone, "sh", "-c", "cat <&6; (echo x >&7) 2>/dev/null || echo ended"))
                .isEqualTo("ended\n");
    }
}
