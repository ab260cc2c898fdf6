package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * A store check asks the stores once all beans are made, and so after those that make the tables of the application.
 */
record StoreCheck(ObjectProvider<Leasehold> clients) implements SmartInitializingSingleton {

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");
    private static final String BEFORE_REMEDY = "nothing was locked. ";

    @Override
    public void afterSingletonsInstantiated() {
        clients.stream().forEach(StoreCheck::check);
    }

    private static void check(Leasehold client) {
        try {
            client.check();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.WARNING, "the store of the locks cannot be reached yet: {0}", e.getMessage());
        } catch (LockException e) {
            throw new LeaseholdStartException("The store refuses to keep locks: " + e.getMessage(), action(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockException("the thread was interrupted while the store was checked", e);
        }
    }

    /** Returns what to do. A store that misses tables shows the statements that make them; others say at last what to do. */
    private static String action(LockException refused) {
        String message = String.valueOf(refused.getMessage());
        int remedy = message.lastIndexOf(BEFORE_REMEDY);
        String what;
        if (message.contains("CREATE TABLE")) {
            what = "Run the statements above by your migration tool, or let Leasehold make the tables"
                    + " (leasehold.store.jdbc.initialize-schema=true, and a user who may create them).";
        } else if (remedy >= 0) {
            what = message.substring(remedy + BEFORE_REMEDY.length()).strip();
        } else {
            what = "Do what it says.";
        }
        String between = what.contains("\n") ? "\n\n" : what.endsWith(".") ? " " : ". ";
        return what + between + "leasehold.store.check=false leaves the finding to the first lock.";
    }
}
