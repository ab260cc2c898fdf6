package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.architecture.LogLines;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** These tests are about what the start tells of settings that do not fit. */
@Tag("slow")
class StartWarningsTest {

    private final LogLines log = new LogLines("dev.leasehold.spring", Level.INFO);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class))
            .withPropertyValues("leasehold.store.type=memory");

    @AfterEach
    void stop() {
        log.close();
    }

    @Test
    void waitsThatAreLongerThanAPhaseAreNamed() {
        runner.withPropertyValues("leasehold.shutdown.wait-time=28s")
                .run(context -> assertThat(log.lines)
                        .singleElement()
                        .asString()
                        .startsWith("WARNING leasehold.shutdown.wait-time and interrupt-wait-time are 33 s together"));
    }

    @Test
    void waitsThatFitAreNot() {
        runner.run(context -> assertThat(log.lines).isEmpty());
        runner.withPropertyValues("leasehold.shutdown.wait-time=28s", "spring.lifecycle.timeout-per-shutdown-phase=1m")
                .run(context -> assertThat(log.lines).isEmpty());
    }

    @Test
    void anOlderSpringBootIsNamedWithWhatToDo() {
        assertThatThrownBy(() -> LeaseholdAutoConfiguration.check("3.5.16"))
                .isInstanceOf(LeaseholdStartException.class)
                .hasMessageContaining("needs Spring Boot 4, and this is 3.5.16")
                .hasMessageContaining("docs/spring.md");
        assertThatCode(() -> LeaseholdAutoConfiguration.check("4.0.0")).doesNotThrowAnyException();
    }
}
