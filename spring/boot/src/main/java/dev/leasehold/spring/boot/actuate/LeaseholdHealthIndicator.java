package dev.leasehold.spring.boot.actuate;

import dev.leasehold.Leasehold;
import java.time.Instant;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health indicator is up if the store answers a question that writes nothing. It says when the store has last
 * answered anything.
 */
final class LeaseholdHealthIndicator extends AbstractHealthIndicator {

    private static final String NOBODYS = "leasehold-health";

    private final Leasehold leasehold;
    private final LastContact contact;

    LeaseholdHealthIndicator(Leasehold leasehold, LastContact contact) {
        super("the store of the locks did not answer");
        this.leasehold = leasehold;
        this.contact = contact;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) throws Exception {
        Instant before = contact.last();
        if (before != null) {
            builder.withDetail("lastContact", before);
        }
        leasehold.info(NOBODYS);
        contact.note();
        builder.up().withDetail("lastContact", String.valueOf(contact.last()));
    }
}
