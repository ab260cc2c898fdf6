package dev.leasehold.spring.boot.actuate;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spring.Elections;
import dev.leasehold.spring.boot.autoconfigure.LeaseholdAutoConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** Endpoint, health and info. */
class ActuatorTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LeaseholdAutoConfiguration.class,
                    LeaseholdEndpointAutoConfiguration.class,
                    LeaseholdHealthContributorAutoConfiguration.class))
            .withPropertyValues("leasehold.store.type=memory", "spring.application.name=shop");

    private final ApplicationContextRunner exposed =
            runner.withPropertyValues("management.endpoints.web.exposure.include=leasehold");

    @Test
    void theEndpointShowsWhatIsHeld() {
        exposed.run(context -> {
            LeaseholdEndpoint endpoint = context.getBean(LeaseholdEndpoint.class);
            try (Lease lease = context.getBean(Leasehold.class).lock("a/b").acquire()) {
                assertThat(endpoint.locks(null).total()).isEqualTo(1);
                assertThat(endpoint.locks("x*").locks()).isEmpty();
                LeaseholdEndpoint.Lock lock = endpoint.lock("a", "b");
                assertThat(lock.holder().token()).isEqualTo(Long.toString(lease.token()));
                assertThat(lock.holder().client().label()).isEqualTo("shop");
                assertThat(endpoint.lock("nonesuch")).isNull();
            }
        });
    }

    @Test
    void aLockThatIsOnlyKeptHasNoClient() {
        exposed.run(context -> {
            LockOptions kept = LockOptions.defaults().withMinHold(Duration.ofHours(1));
            context.getBean(Leasehold.class).lock("kept", kept).acquire().close();
            LeaseholdEndpoint.Lock lock =
                    context.getBean(LeaseholdEndpoint.class).lock("kept");
            assertThat(lock.holder()).isNotNull();
            assertThat(lock.holder().client()).isNull();
        });
    }

    @Test
    void aThousandLocksAreListedAndAllAreCounted() {
        exposed.run(context -> {
            Leasehold leasehold = context.getBean(Leasehold.class);
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 1001; i++) {
                leases.add(leasehold.lock("n" + i).tryAcquire().orElseThrow());
            }
            LeaseholdEndpoint.Locks shown =
                    context.getBean(LeaseholdEndpoint.class).locks(null);
            assertThat(shown.total()).isEqualTo(1001);
            assertThat(shown.locks()).hasSize(1000);
            leases.forEach(Lease::close);
        });
    }

    @Test
    void itBreaksExactlyTheTokenThatWasShown() {
        exposed.run(context -> {
            LeaseholdEndpoint endpoint = context.getBean(LeaseholdEndpoint.class);
            Lease lease = context.getBean(Leasehold.class).lock("a").acquire();
            assertThat(endpoint.breakLock(lease.token() - 1, "a").broken()).isFalse();
            assertThat(lease.isValid()).isTrue();
            assertThat(endpoint.breakLock(lease.token(), "a").broken()).isTrue();
            assertThat(endpoint.lock("a")).isNull();
        });
    }

    @Test
    void itIsReadOnlyAndNotExposedUnlessAskedFor() {
        assertThat(LeaseholdEndpoint.class.getAnnotation(Endpoint.class).defaultAccess())
                .isEqualTo(Access.READ_ONLY);
        runner.run(context -> assertThat(context).doesNotHaveBean(LeaseholdEndpoint.class));
        exposed.withPropertyValues("management.endpoint.leasehold.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(LeaseholdEndpoint.class));
    }

    @Test
    void healthSaysWhetherTheStoreAnswers() {
        runner.run(context -> {
            HealthIndicator health = context.getBean("leaseholdHealthIndicator", HealthIndicator.class);
            assertThat(health.health().getStatus()).isEqualTo(Status.UP);
            assertThat(health.health().getDetails()).containsKey("lastContact");
            assertThat(context.getBean(Leasehold.class).locks("*"))
                    .as("it takes nothing")
                    .isEmpty();
        });
        runner.withPropertyValues("leasehold.store.uri=redis://localhost:1", "leasehold.store.timeout=100ms")
                .run(context -> assertThat(context.getBean("leaseholdHealthIndicator", HealthIndicator.class)
                                .health()
                                .getStatus())
                        .isEqualTo(Status.DOWN));
        runner.withPropertyValues("management.health.leasehold.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("leaseholdHealthIndicator"));
    }

    @Test
    void healthWritesNothing() {
        runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues(
                        "leasehold.store.type=jdbc",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")
                .run(context -> {
                    HealthIndicator health = context.getBean("leaseholdHealthIndicator", HealthIndicator.class);
                    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForObject("SELECT COUNT(*) FROM \"leasehold_lock\"", Integer.class))
                            .isZero();
                });
    }

    @Test
    void infoSaysWhereThisInstanceStands() {
        runner.run(context -> {
            context.getBean(Elections.class).election("mailer");
            Info.Builder builder = new Info.Builder();
            context.getBean(LeaseholdInfoContributor.class).contribute(builder);
            assertThat(builder.build().getDetails().toString()).contains("mailer=candidate");
            context.getBean(Elections.class).start();
            await().untilAsserted(() -> {
                context.getBean(LeaseholdInfoContributor.class).contribute(builder);
                assertThat(builder.build().getDetails().toString()).contains("mailer=leader");
            });
        });
    }
}
