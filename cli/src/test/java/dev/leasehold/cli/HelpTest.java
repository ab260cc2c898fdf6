package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HelpTest {

    @Test
    void breakTellsThatItAlsoEndsWithOneIfTheUserDeclines() {
        String help = Main.commandLine(Terminal.standard(), "break")
                .getSubcommands()
                .get("break")
                .getUsageMessage()
                .replaceAll("\\s+", " ");

        assertThat(help).contains("It exits with 1 if nothing was broken", "or you declined");
    }
}
