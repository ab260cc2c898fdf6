/** The {@code leasehold} command. */
module dev.leasehold.cli {
    requires static org.jspecify;
    requires dev.leasehold;
    requires info.picocli;
    requires jdk.unsupported;

    // The commands' fields are filled in by picocli.
    opens dev.leasehold.cli to
            info.picocli;

    provides System.LoggerFinder with
            dev.leasehold.cli.StderrLoggers;
}
