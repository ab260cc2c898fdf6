package dev.leasehold.cli;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The man page of the command is made in troff, from the descriptions that the commands give picocli of themselves, so
 * that it has every option that they have.
 */
final class ManPage {

    private static final String ENVIRONMENT = """
            .SH ENVIRONMENT
            .TP
            .B LEASEHOLD_STORE
            The URI of the store, where no \\fB\\-\\-store\\fR is given. It may contain a password.
            .TP
            .B LEASEHOLD_STORE_PASSWORD_FILE
            A file whose first line is the password for the store, where no \\fB\\-\\-store\\-password\\-file\\fR is given.
            .TP
            .B LEASEHOLD_STORE_PASSWORD
            The password itself; not together with \\fBLEASEHOLD_STORE_PASSWORD_FILE\\fR.
            .TP
            .B JAVA_HOME
            The Java runtime to use, 17 or newer.
            .TP
            .BR LEASEHOLD_NAME ", " LEASEHOLD_TOKEN
            Set for the command that \\fBleasehold run\\fR starts: the name of the lock and the fencing token.
            .TP
            .B LEASEHOLD_SLOT
            Set for it with \\fB\\-\\-slots\\fR: a number from 0 on that no other holder has.
            .SH FILES
            .TP
            .I $XDG_STATE_HOME/leasehold/locks.db
            The user's own store, or \\fI~/.local/state/leasehold/locks.db\\fR.
            .SH EXAMPLES
            .TP
            .B leasehold run \\-n nightly\\-report ./report.sh
            Runs the report, unless somebody else holds the lock.
            .TP
            .B leasehold run \\-\\-store redis://cache.internal backup \\-\\- /usr/local/bin/backup
            Waits for a lock in Redis, which all machines share.
            """;

    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    /** Returns the page of a command and all its subcommands. */
    static String of(CommandLine line) {
        ManPage man = new ManPage();
        man.write(line);
        return man.page.toString();
    }

    private void write(CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        macro("TH LEASEHOLD 1 \"\" \"" + spec.version()[0] + "\" \"User Commands\"");
        macro("SH NAME");
        text("leasehold - runs commands under distributed locks, shows locks, and breaks them");
        macro("SH SYNOPSIS");
        commands(line, this::synopsis);
        macro("SH DESCRIPTION");
        texts(spec.usageMessage().description());
        texts(spec.usageMessage().footer());
        macro("SH COMMANDS");
        commands(line, this::command);
        macro("SH EXIT STATUS");
        spec.usageMessage().exitCodeList().forEach((status, meaning) -> {
            macro("TP");
            bold(status);
            text(meaning);
        });
        page.append(ENVIRONMENT);
    }

    /** Visits the commands that do something, in the order in which they are listed. */
    private static void commands(CommandLine line, Consumer<CommandLine> action) {
        for (CommandLine sub : line.getSubcommands().values()) {
            if (sub.getSubcommands().isEmpty()) {
                action.accept(sub);
            } else {
                commands(sub, action);
            }
        }
    }

    private void synopsis(CommandLine line) {
        bold(line.getHelp().synopsis(0).replaceAll("\\s+", " ").strip());
        macro("br");
    }

    private void command(CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        macro("SS " + escaped(spec.qualifiedName()));
        texts(spec.usageMessage().description());
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            macro("TP");
            bold(parameter.paramLabel());
            texts(parameter.description());
        }
        for (OptionSpec option : spec.options()) {
            macro("TP");
            String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
            bold(String.join(", ", option.names()) + label);
            texts(option.description());
        }
        texts(spec.usageMessage().footer());
    }

    private void texts(String... paragraphs) {
        List<String> lines = Arrays.stream(paragraphs).map(String::format).collect(Collectors.toList());
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                text(lines.get(i));
            } else if (i + 1 < lines.size()) {
                macro("PP");
            }
        }
    }

    private void text(String text) {
        page.append(escaped(text)).append('\n');
    }

    private void bold(String text) {
        page.append("\\fB").append(escaped(text)).append("\\fR\n");
    }

    private void macro(String macro) {
        page.append('.').append(macro).append('\n');
    }

    /** Returns text as troff prints it literally: a full stop at the beginning of a line would make a request of it. */
    private static String escaped(String text) {
        String escaped = text.codePoints()
                .mapToObj(point -> switch (point) {
                    case '\\' -> "\\e";
                    case '-' -> "\\-";
                    default -> point < 0x80 ? Character.toString(point) : "\\[u%04X]".formatted(point);
                })
                .collect(Collectors.joining());
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
