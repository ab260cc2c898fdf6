package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.inspect.LockInfo;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The list command prints the locks of a store that are held, kept or waited for. */
@Command(name = "ls", description = "Lists the locks that are held, kept or waited for.", descriptionHeading = "%n")
final class ListCommand implements Callable<Integer> {

    @Mixin
    StoreOption store = new StoreOption();

    @Option(names = "--json", description = "Print an array of JSON objects.")
    boolean json;

    @Parameters(
            arity = "0..1",
            paramLabel = "PATTERN",
            defaultValue = "*",
            description = "Which names: * is any characters, ? is one, \\ takes the next literally. Default: all.")
    String pattern = "*";

    @Override
    public Integer call() throws Exception {
        Terminal terminal = store.terminal();
        try (Leasehold leasehold = store.connect("leasehold ls")) {
            List<LockInfo> locks = leasehold.locks(pattern);
            terminal.out().print(json ? LockJson.of(locks) + "\n" : LockTable.of(locks, store.namespace()));
            terminal.flush();
        }
        return ExitStatus.OK;
    }
}
