package dev.leasehold.cli;

import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.internal.DurationText;
import dev.leasehold.redis.MasterVote;
import dev.leasehold.redis.RedlockStore;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The quorum command shows or opens the votes of a quorum of Redis masters, each by a command of its own below it. */
@Command(
        name = "quorum",
        description = "Shows or opens the votes of a quorum of Redis masters (redlock://).",
        descriptionHeading = "%n",
        commandListHeading = "%nCommands:%n",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {QuorumCommand.Status.class, QuorumCommand.Init.class})
final class QuorumCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "what is to be done with the quorum? There are status, init");
    }

    private static void print(Terminal terminal, List<NodeAnswer> answers) {
        answers.forEach(answer -> terminal.out().println(Escapes.shown(answer.toString())));
        terminal.flush();
    }

    private static boolean haveMajority(List<MasterVote> votes) {
        return votes.stream().filter(MasterVote::hasVote).count() > votes.size() / 2;
    }

    @Command(
            name = "status",
            description = "Says of each master whether it has a vote, or for how long it has none.",
            descriptionHeading = "%n",
            footer = {"", "It exits with 0 if a majority has a vote, else with 1."})
    static final class Status implements Callable<Integer> {

        @Mixin
        StoreOption store = new StoreOption();

        @Override
        public Integer call() {
            RedlockStore quorum = store.quorum();
            List<MasterVote> votes = quorum.votes();
            print(store.terminal(), votes.stream().map(MasterVote::answer).toList());
            return haveMajority(votes) ? ExitStatus.OK : ExitStatus.NO_MAJORITY;
        }
    }

    @Command(
            name = "init",
            description = "Opens a new quorum at once: gives every master its vote, which it would have only when the "
                    + "longest lease is over.",
            descriptionHeading = "%n",
            footer = {
                "",
                "Open only a quorum of which no lock was held or granted within the last maxLeaseDuration (60 s unless the URI "
                        + "says otherwise), also not with other masters among them: who holds one would not be seen. Nothing "
                        + "is changed unless all masters answer and none has a vote.",
                "",
                "It exits with 1 if nothing was opened because you declined, with 69 if a master does not answer, with 78 if "
                        + "one refuses or has a vote already."
            })
    static final class Init implements Callable<Integer> {

        @Mixin
        StoreOption store = new StoreOption();

        @Option(
                names = {"-y", "--yes"},
                description = "Do not ask: you know that no lock of this quorum was held or granted lately.")
        boolean yes;

        @Override
        public Integer call() {
            Terminal terminal = store.terminal();
            RedlockStore quorum = store.quorum();
            String asked = "Is it certain that no lock of " + Escapes.shown(quorum.toString())
                    + " was held or granted within the last " + DurationText.of(quorum.maxLease()) + "?";
            if (!yes && !Question.confirmed(terminal, asked, "if you know that none was held or granted lately")) {
                terminal.say("the quorum was not opened, and nothing was changed");
                return ExitStatus.NOT_OPENED;
            }
            print(terminal, quorum.initialize());
            if (haveMajority(quorum.votes())) {
                return ExitStatus.OK;
            }
            terminal.say("not enough masters could be opened; the others will have their votes in time");
            return ExitStatus.UNAVAILABLE;
        }
    }
}
