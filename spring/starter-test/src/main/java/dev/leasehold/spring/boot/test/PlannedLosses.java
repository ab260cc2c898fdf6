package dev.leasehold.spring.boot.test;

import dev.leasehold.spring.Locked;
import dev.leasehold.test.TestLeasehold;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Planned losses lose locks as the locked methods begin: they are an advisor that lies just inside of the locks'. */
final class PlannedLosses extends StaticMethodMatcherPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient Set<String> planned = ConcurrentHashMap.newKeySet();

    PlannedLosses(TestLeasehold locks) {
        setOrder(Ordered.LOWEST_PRECEDENCE - 50);
        setAdvice((MethodInterceptor) invocation -> begin(locks, invocation));
    }

    @Override
    public boolean matches(Method method, Class<?> target) {
        return AnnotatedElementUtils.hasAnnotation(
                org.springframework.aop.support.AopUtils.getMostSpecificMethod(method, target), Locked.class);
    }

    void plan(String lock) {
        planned.add(lock);
    }

    void clear() {
        planned.clear();
    }

    private @Nullable Object begin(TestLeasehold locks, MethodInvocation invocation) throws Throwable {
        for (String lock : Set.copyOf(planned)) {
            if (locks.isHeldHere(lock) && planned.remove(lock)) {
                locks.lose(lock);
            }
        }
        return invocation.proceed();
    }
}
