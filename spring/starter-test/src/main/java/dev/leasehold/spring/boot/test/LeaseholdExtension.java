package dev.leasehold.spring.boot.test;

import dev.leasehold.spring.LockInsideTransactionException;
import dev.leasehold.test.HeldElsewhere;
import dev.leasehold.test.TestLeasehold;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.test.context.transaction.TestTransaction;

/**
 * The Leasehold extension prepares the locks of a test as its annotations say, lets time pass while it waits, and gives
 * the test its locks.
 */
final class LeaseholdExtension
        implements BeforeEachCallback,
                AfterEachCallback,
                ParameterResolver,
                InvocationInterceptor,
                TestExecutionExceptionHandler {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(LeaseholdExtension.class);

    @Override
    public void beforeEach(ExtensionContext context) {
        TestLeasehold locks = locks(context);
        locks.freeKept(); // A scheduled job may have run before the first test.
        List<HeldElsewhere> held = new ArrayList<>();
        context.getStore(NAMESPACE).put(context.getUniqueId(), held);
        find(context, BusyLock.class).ifPresent(busy -> {
            for (String name : busy.value()) {
                held.add(locks.holdElsewhere(name));
            }
        });
        find(context, SlowLock.class).ifPresent(slow -> {
            HeldElsewhere other = locks.holdElsewhere(slow.value());
            held.add(other);
            locks.time().schedule(Duration.ofMillis(slow.millis()), other::close);
        });
        find(context, LostLock.class).ifPresent(lost -> losses(context).plan(lost.value()));
    }

    @Override
    @SuppressWarnings("unchecked")
    public void afterEach(ExtensionContext context) {
        List<HeldElsewhere> held =
                (List<HeldElsewhere>) context.getStore(NAMESPACE).remove(context.getUniqueId());
        locks(context).storeUp();
        if (held != null) {
            held.forEach(HeldElsewhere::close);
        }
        locks(context).freeKept();
        losses(context).clear();
    }

    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        intercept(invocation, context);
    }

    /** Intercepts a repeated or parameterized test. */
    @Override
    public void interceptTestTemplateMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        intercept(invocation, context);
    }

    private static void intercept(Invocation<@Nullable Void> invocation, ExtensionContext context) throws Throwable {
        boolean waits = find(context, BusyLock.class).isPresent()
                || find(context, SlowLock.class).isPresent();
        if (!waits) {
            invocation.proceed();
            return;
        }
        Throwable[] thrown = new Throwable[1];
        locks(context).whileTimePasses(() -> {
            try {
                invocation.proceed();
            } catch (Throwable e) {
                thrown[0] = e;
            }
        });
        if (thrown[0] != null) {
            throw thrown[0];
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestLeasehold.class
                && parameter.getParameter().getAnnotations().length == 0;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return locks(context);
    }

    private static <A extends Annotation> Optional<A> find(ExtensionContext context, Class<A> annotation) {
        return AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), annotation)
                .or(() -> AnnotationSupport.findAnnotation(context.getRequiredTestClass(), annotation));
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        throw explained(thrown);
    }

    /** Names the test's own transaction where that is why a lock was refused. */
    static Throwable explained(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof LockInsideTransactionException && TestTransaction.isActive()) {
                return new IllegalStateException(
                        "the transaction is the test's own: @Transactional stands on the test, or on its slice, as on @JdbcTest"
                                + " and @DataJpaTest. Have a test of locks without one: @Transactional(propagation ="
                                + " Propagation.NOT_SUPPORTED)",
                        thrown);
            }
        }
        return thrown;
    }

    private static TestLeasehold locks(ExtensionContext context) {
        return application(context).getBean(TestLeasehold.class);
    }

    private static PlannedLosses losses(ExtensionContext context) {
        return application(context).getBean(PlannedLosses.class);
    }

    private static ApplicationContext application(ExtensionContext context) {
        return SpringExtension.getApplicationContext(context);
    }
}
