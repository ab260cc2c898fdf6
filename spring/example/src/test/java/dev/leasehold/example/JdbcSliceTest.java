package dev.leasehold.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockBusyException;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.boot.test.AutoConfigureTestLeasehold;
import dev.leasehold.spring.boot.test.BusyLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A slice for JDBC, whose tests have a transaction of their own if they do not say otherwise. */
@Tag("slow")
@JdbcTest(properties = "spring.sql.init.mode=never")
@Import(JdbcSliceTest.Counting.class)
@AutoConfigureTestLeasehold
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class JdbcSliceTest {

    static class Counting {

        private final JdbcTemplate jdbc;

        Counting(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Locked("count")
        @Transactional
        public int count() {
            return jdbc.queryForObject("SELECT 1", Integer.class);
        }
    }

    @Autowired
    private Counting counting;

    /** It ran without the lock. */
    @Test
    @BusyLock("count")
    void aBusyLockIsRefused() {
        assertThatThrownBy(counting::count).isInstanceOf(LockBusyException.class);
    }

    @Test
    void aFreeLockIsHeld() {
        assertThat(counting.count()).isEqualTo(1);
    }
}
