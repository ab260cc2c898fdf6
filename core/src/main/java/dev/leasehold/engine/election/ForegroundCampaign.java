package dev.leasehold.engine.election;

import dev.leasehold.LeaseBody;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.engine.Client;
import dev.leasehold.engine.threads.BodyInterrupter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A foreground campaign runs on the caller's thread: it waits for the office there, works in one term after the other, and
 * returns when the work has ended while the candidate led.
 */
final class ForegroundCampaign {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final LeaderElector election;
    private final Client client;
    private final CompletableFuture<@Nullable Void> closing;
    private volatile @Nullable Thread worker;

    /**
     * Makes a campaign that has not begun.
     *
     * @param closing completes when the candidate is closed, or its client
     */
    ForegroundCampaign(LeaderElector election, Client client, CompletableFuture<@Nullable Void> closing) {
        this.election = election;
        this.client = client;
        this.closing = closing;
    }

    boolean isWorkingHere() {
        return worker == Thread.currentThread();
    }

    <E extends Exception> void run(LeaseBody<E> work) throws E, InterruptedException {
        for (Term next = elected(); next != null; next = elected()) {
            if (serve(next, work)) {
                return;
            }
        }
    }

    /** Waits for the office; null if the candidate was closed. */
    private @Nullable Term elected() throws InterruptedException {
        Campaign next = election.nextInForeground();
        if (next == null) {
            return null;
        }
        CompletableFuture<@Nullable Term> office = next.won.thenApply(election::takeOffice);
        election.stand(next);
        try {
            Term won = office.get();
            return won == null
                    ? elected()
                    : won; // Whether the candidate or its client was closed shows in standing again.
        } catch (InterruptedException e) {
            next.withdraw();
            office.thenAccept(ForegroundCampaign::decline);
            throw e;
        } catch (CancellationException e) {
            return null;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CancellationException) {
                return null;
            }
            throw client.rethrown(e);
        }
    }

    private static void decline(@Nullable Term unwanted) {
        if (unwanted != null) {
            unwanted.end("its candidate was interrupted");
            unwanted.workEnded.complete(null);
        }
    }

    /**
     * Runs the work in one term. Returns true if the work has ended while this candidate led, so that no other term
     * follows.
     */
    private <E extends Exception> boolean serve(Term now, LeaseBody<E> work) throws E, InterruptedException {
        BodyInterrupter interrupter = new BodyInterrupter();
        worker = Thread.currentThread();
        try {
            now.interrupt(interrupter);
            if (!now.isOver()) {
                work.run(now.lease());
            }
        } catch (Throwable thrown) {
            if (hasLedUntilNow(now, interrupter, thrown) || thrown instanceof Error) {
                throw thrown;
            }
            if (!(thrown instanceof InterruptedException || thrown instanceof LeaseLostException)) {
                LOG.log(
                        Level.WARNING,
                        "what the leader of '" + election.name() + "' was doing in term "
                                + now.lease().token() + " has failed after the term had ended",
                        thrown);
            }
            awaitGivenBack(now);
            return false;
        }
        if (hasLedUntilNow(now, interrupter, null)) {
            return true;
        }
        awaitGivenBack(now);
        return false;
    }

    /**
     * Ends the term after the work. If the candidate has led until now, as far as it knows, the store has the last word.
     */
    private boolean hasLedUntilNow(Term now, BodyInterrupter interrupter, @Nullable Throwable thrown) {
        worker = null;
        interrupter.ended(thrown);
        boolean led = now.isInOffice();
        led &= now.end("its work has ended");
        now.workEnded.complete(null);
        if (!led) {
            return false;
        }
        now.awaitRelease();
        return now.lease().look() != LeaseState.LOST;
    }

    /** Waits until the lease is being given back, which follows the listeners' return, unless the candidate is closed. */
    private void awaitGivenBack(Term of) throws InterruptedException {
        try {
            CompletableFuture.anyOf(of.givenBack, closing).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
