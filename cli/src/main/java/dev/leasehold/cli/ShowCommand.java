package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.inspect.LockInfo;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The show command prints who holds a lock and who waits for it. */
@Command(
        name = "show",
        description = "Shows who holds a lock and who waits for it.",
        descriptionHeading = "%n",
        footer = {"", "It exits with 0 if somebody holds the lock, with 1 if nobody does."})
final class ShowCommand implements Callable<Integer> {

    @Mixin
    StoreOption store = new StoreOption();

    @Option(names = "--json", description = "Print one JSON object.")
    boolean json;

    @Parameters(paramLabel = "NAME", description = "The name of the lock.")
    String name = "";

    @Override
    public Integer call() throws Exception {
        Terminal terminal = store.terminal();
        try (Leasehold leasehold = store.connect("leasehold show")) {
            LockInfo seen = leasehold.info(leasehold.lock(name).name()).orElse(null);
            LockInfo lock = seen != null ? seen : new LockInfo(name, null, List.of());
            if (json) {
                terminal.out().println(LockJson.of(lock));
            } else if (seen == null) {
                terminal.out()
                        .println("Nobody holds the lock '" + Escapes.shown(name) + "' " + store.scope()
                                + ", or waits for it."
                                + (store.namespace().isEmpty()
                                        ? " Locks of an application that has a namespace: --namespace NAME."
                                        : ""));
            } else {
                terminal.out().print(LockTable.of(List.of(lock), store.namespace()));
            }
            terminal.flush();
            return lock.holder() == null ? ExitStatus.NOBODY_HOLDS_IT : ExitStatus.OK;
        }
    }
}
