package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.logging.Handler;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Boot takes the handlers of java.util.logging away when a context ends, as the JVM does when it ends itself. */
@Tag("slow")
class LateLogTest {

    private static final Logger ROOT = Logger.getLogger("");
    private static final Logger OURS = Logger.getLogger("dev.leasehold");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class))
            .withPropertyValues("leasehold.store.type=memory");

    private Handler[] before = {};

    @BeforeEach
    void takeAllHandlersAway() {
        before = ROOT.getHandlers();
        for (Handler each : before) {
            ROOT.removeHandler(each);
        }
    }

    @AfterEach
    void putThemBack() {
        for (Handler each : before) {
            ROOT.addHandler(each);
        }
    }

    /** Another test may have left a context open. */
    private static long handlers() {
        return Arrays.stream(OURS.getHandlers())
                .filter(LateLog.class::isInstance)
                .count();
    }

    @Test
    void severalContextsHaveOneHandler() {
        runner.run(one -> {
            runner.run(two -> assertThat(handlers()).isOne());
            assertThat(handlers()).isOne();
        });
    }

    @Test
    void endedContextsLeaveNoHandler() {
        long others = handlers();
        runner.run(context -> assertThat(handlers()).isOne());
        assertThat(handlers()).isEqualTo(others);
    }
}
