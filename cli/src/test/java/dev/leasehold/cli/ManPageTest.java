package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ManPageTest {

    private final CommandLine line = Main.commandLine(Terminal.standard());
    private final String page = ManPage.of(line);

    @Test
    void everyOptionOfEveryCommandIsDescribed() {
        describes(line);
    }

    private void describes(CommandLine command) {
        for (CommandLine sub : command.getSubcommands().values()) {
            if (!sub.getSubcommands().isEmpty()) {
                describes(sub);
                continue;
            }
            String heading = ".SS " + sub.getCommandSpec().qualifiedName() + "\n";
            assertThat(page).contains(heading);
            String section =
                    page.substring(page.indexOf(heading) + heading.length()).split("\n\\.S[SH] ", 2)[0];
            sub.getCommandSpec()
                    .options()
                    .forEach(option -> assertThat(section)
                            .contains(option.longestName().replace("-", "\\-"))
                            .contains(option.description()[0].replace("-", "\\-")));
        }
    }

    @Test
    void noLineOfTextIsTakenForARequest() {
        assertThat(page.lines().filter(line -> line.startsWith(".")))
                .allMatch(line -> line.matches("\\.(TH|SH|SS|TP|PP|br|B|BR|I)( .*)?"));
    }
}
