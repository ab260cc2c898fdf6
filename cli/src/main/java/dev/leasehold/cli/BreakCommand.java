package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The break command ends the lease of a lock's holder, after showing it and asking. */
@Command(
        name = "break",
        description =
                "Ends the lease of a lock's holder, after showing it and asking. A successor's lease is left alone.",
        descriptionHeading = "%n",
        footer = {
            "",
            "The old holder is notified, but goes on until it learns of it: until then two may believe that they hold "
                    + "the lock. Break a lock only if you know that its holder is gone or does no harm.",
            "",
            "It exits with 1 if nothing was broken: because nobody held the lock, that lease had ended, or you declined."
        })
final class BreakCommand implements Callable<Integer> {

    @Mixin
    StoreOption store = new StoreOption();

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    boolean yes;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Which lease to end, where several holders share the lock.")
    @Nullable Long token;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Parameters(paramLabel = "NAME", description = "The name of the lock.")
    String name = "";

    @Override
    public Integer call() throws Exception {
        Terminal terminal = store.terminal();
        try (Leasehold leasehold = store.connect("leasehold break")) {
            LockInfo lock = leasehold.info(leasehold.lock(name).name()).orElse(null);
            if (lock == null || lock.holder() == null) {
                terminal.say("nobody holds the lock '" + Escapes.shown(name) + "' " + store.scope()
                        + "; nothing was broken");
                return ExitStatus.NOTHING_BROKEN;
            }
            terminal.out().print(LockTable.of(List.of(lock), store.namespace()));
            terminal.flush();
            HolderInfo holder = chosen(lock.holders());
            if (holder == null) {
                terminal.say("no holder of the lock '" + Escapes.shown(name) + "' has the token " + token
                        + "; nothing was broken");
                return ExitStatus.NOTHING_BROKEN;
            }
            if (!yes
                    && !Question.confirmed(
                            terminal,
                            lock.holders().size() == 1
                                    ? "Break the lease of this holder?"
                                    : "Break the lease with token " + holder.token() + "?",
                            "to break this lease")) {
                return ExitStatus.NOTHING_BROKEN;
            }
            if (!leasehold.breakLock(name, holder.token())) {
                terminal.say("the lease with token " + holder.token() + " had ended already; nothing was broken");
                return ExitStatus.NOTHING_BROKEN;
            }
            terminal.say("the lease with token " + holder.token() + " is broken");
        }
        return ExitStatus.OK;
    }

    private @Nullable HolderInfo chosen(List<HolderInfo> holders) {
        Long named = token;
        if (named != null) {
            return holders.stream()
                    .filter(holder -> holder.token() == named)
                    .findFirst()
                    .orElse(null);
        }
        if (holders.size() > 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    holders.size() + " holders share the lock '" + Escapes.shown(name)
                            + "': say with --token which lease to end; nothing was broken");
        }
        return holders.get(0);
    }
}
