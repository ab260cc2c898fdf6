package dev.leasehold.spring.boot.test;

import dev.leasehold.spring.boot.autoconfigure.LeaseholdAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * This annotation gives a test's application a client whose locks are in memory and whose time stands still until the
 * test moves it. The bean and test parameter {@link dev.leasehold.test.TestLeasehold} controls it. No store of the
 * application is used. In a slice ({@code @WebMvcTest}, {@code @JdbcTest}) methods are locked as in the whole application.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureTestLeasehold
 * class InvoicesTest {
 *
 *     @Test
 *     @BusyLock("invoice:42")
 *     void aBusyInvoiceIsRefused(@Autowired Invoices invoices) {
 *         assertThatThrownBy(() -> invoices.send(42)).isInstanceOf(LockBusyException.class);
 *     }
 * }
 * }</pre>
 *
 * <p>See {@link BusyLock}, {@link SlowLock} and {@link LostLock}. After each test, what the test had held elsewhere is given
 * back, what is kept by an {@code minHold} is free, and the store is up again.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration({TestLeaseholdAutoConfiguration.class, LeaseholdAutoConfiguration.class})
@ExtendWith(LeaseholdExtension.class)
public @interface AutoConfigureTestLeasehold {}
