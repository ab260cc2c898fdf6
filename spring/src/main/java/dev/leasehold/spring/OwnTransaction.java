package dev.leasehold.spring;

import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * An own transaction is one that a call begins because its advice suspends the one that runs: then what is written
 * under the lock is committed before the lock is given back. Not to be loaded where Spring's transactions are missing.
 *
 * <p>The proxy is asked, not the annotation: an advice that is not there suspends nothing, and one that lies outside of the lock
 * has begun the very transaction that runs.
 */
final class OwnTransaction {

    private OwnTransaction() {}

    /** Returns whether the advice of a transaction that lies inside of the given advice suspends the running one. */
    static boolean begins(ProxyMethodInvocation call, MethodInterceptor outer, Class<?> target) {
        if (!(call.getProxy() instanceof Advised proxy)) {
            return false;
        }
        boolean inside = false;
        for (Advisor advisor : proxy.getAdvisors()) {
            if (advisor.getAdvice() == outer) {
                inside = true;
            } else if (inside && advisor.getAdvice() instanceof TransactionAspectSupport transaction) {
                return suspends(transaction.getTransactionAttributeSource(), call.getMethod(), target);
            }
        }
        return false;
    }

    private static boolean suspends(@Nullable TransactionAttributeSource source, Method method, Class<?> target) {
        TransactionAttribute attribute = source == null ? null : source.getTransactionAttribute(method, target);
        int propagation =
                attribute == null ? TransactionDefinition.PROPAGATION_REQUIRED : attribute.getPropagationBehavior();
        return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }
}
