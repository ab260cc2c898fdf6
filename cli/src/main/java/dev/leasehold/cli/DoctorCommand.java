package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.doctor.Examination;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The doctor command examines a store's deployment, and exits with a status for the worst that it finds. */
@Command(
        name = "doctor",
        description = "Examines a store's deployment and says which faults would let a second holder in.",
        descriptionHeading = "%n",
        footer = {
            "",
            "It takes a lock of its own for a moment and changes nothing else. What this user may not look at is named, too.",
            "",
            "It exits with 0 if nothing is worse than a note, with 1 if there are warnings, with 2 if something is serious."
        })
final class DoctorCommand implements Callable<Integer> {

    @Mixin
    StoreOption store = new StoreOption();

    @Option(names = "--json", description = "Print one JSON object.")
    boolean json;

    @Override
    public Integer call() throws Exception {
        Terminal terminal = store.terminal();
        try (Leasehold leasehold = store.connect("leasehold doctor")) {
            Examination seen = leasehold.examine();
            String name = store.shown();
            terminal.out().print(json ? ExaminationText.json(name, seen) : ExaminationText.words(name, seen));
            terminal.flush();
            return switch (seen.worst()) {
                case SERIOUS -> ExitStatus.SERIOUS;
                case WARNING -> ExitStatus.WARNED;
                case NOTE, FINE -> ExitStatus.OK;
            };
        }
    }
}
