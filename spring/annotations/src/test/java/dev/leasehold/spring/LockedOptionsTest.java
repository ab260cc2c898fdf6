package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockOptions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** These tests are about what an annotation and properties say of a lock, and about beans that are made late. */
class LockedOptionsTest {

    static class Work {

        @Locked("usual")
        public void usual() {}

        @Locked(name = "other", maxWait = "5s", maxHold = "10m", interruptOnLoss = false)
        public void other() {}

        @Locked(name = "skipping", onBusy = OnBusy.SKIP)
        public void skipping() {}
    }

    static class Leader {

        @LeaderOnly("late")
        public void lead() {}
    }

    private static LockedMethod parsed(String method, ConfigurableListableBeanFactory beans) throws Exception {
        var of = Work.class.getMethod(method);
        return LockedMethod.parse(
                of,
                Work.class,
                org.springframework.core.annotation.AnnotatedElementUtils.findMergedAnnotation(of, Locked.class),
                beans);
    }

    @Test
    void theAnnotationHasAllOptions() throws Exception {
        LockedMethod other = parsed("other", null);
        LockOptions options = other.options().apply(LockOptions.defaults());
        assertThat(options.maxHold()).isEqualTo(Duration.ofMinutes(10));
        assertThat(options.interruptOnLoss()).isFalse();
        assertThat(other.maxWait()).isEqualTo(Duration.ofSeconds(5));
        LockedMethod usual = parsed("usual", null);
        assertThat(usual.options().apply(LockOptions.defaults()))
                .isEqualTo(LockOptions.defaults().withInterruptOnLoss(true));
        assertThat(usual.maxWait()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void aPropertyHasTheUsualWait() throws Exception {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("test", Map.of("leasehold.max-wait", "7s")));
            context.refresh();
            assertThat(parsed("usual", context.getBeanFactory()).maxWait()).isEqualTo(Duration.ofSeconds(7));
            assertThat(parsed("other", context.getBeanFactory()).maxWait()).isEqualTo(Duration.ofSeconds(5));
            assertThat(parsed("skipping", context.getBeanFactory()).maxWait()).isZero();
        }
    }

    @Test
    void aLazyBeanStandsWhenItIsMade() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(LocksInMemory.class);
            context.registerBean(Leader.class, definition -> definition.setLazyInit(true));
            context.refresh();
            Elections elections = context.getBean(Elections.class);
            assertThat(elections.offices()).isEmpty();
            assertThat(context.getBean(Leader.class)).isNotNull();
            await().until(() -> elections.isLeader("late"));
        }
    }
}
