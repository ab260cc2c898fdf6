/** This module is the {@code leasehold} command. */
module dev.leasehold.cli {
    requires static org.jspecify;
    requires dev.leasehold;
    requires dev.leasehold.redis;
    requires info.picocli;
    requires jdk.unsupported;
    requires org.slf4j;

    // The commands' fields are filled in by picocli.
    opens dev.leasehold.cli to
            info.picocli;

    provides System.LoggerFinder with
            dev.leasehold.cli.StderrLoggers;
    provides org.slf4j.spi.SLF4JServiceProvider with
            dev.leasehold.cli.QuietLibraries;
}
