package dev.leasehold.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockBusyException;
import dev.leasehold.spring.CurrentLease;
import dev.leasehold.spring.Locked;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.context.annotation.Import;

/** In a slice only the auto-configurations are on that it names. */
@JsonTest
@AutoConfigureTestLeasehold
@Import(SliceTest.Shop.class)
class SliceTest {

    @SpringBootConfiguration
    static class Application {}

    static class Shop {
        @Locked("shop")
        public String call() {
            return CurrentLease.get().name();
        }
    }

    @Autowired
    private Shop shop;

    /** It ran without the lock: nothing made a proxy. */
    @Test
    @BusyLock("shop")
    void aBusyLockIsRefused() {
        assertThatThrownBy(shop::call).isInstanceOf(LockBusyException.class);
    }

    @Test
    void aFreeLockIsHeld() {
        assertThat(shop.call()).isEqualTo("shop");
    }
}
