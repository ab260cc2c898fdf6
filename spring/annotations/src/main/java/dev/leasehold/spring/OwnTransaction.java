package dev.leasehold.spring;

import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * An own transaction is one that a call begins because its advice suspends the one that runs: then what is written
 * under the lock is committed before the lock is given back. Where the running one has ended, and calls its listeners, a call
 * without such advice is as good: nothing joins it. Not to be loaded where Spring's transactions are missing.
 *
 * <p>The proxy is asked, not the annotation: an advice that is not there suspends nothing, and one that lies outside of the lock
 * has begun the very transaction that runs.
 */
final class OwnTransaction {

    private OwnTransaction() {}

    /**
     * Returns whether what a call does inside of the given advice is no part of the running transaction.
     *
     * @param withoutAdvice what holds where no advice of a transaction lies inside
     */
    static boolean isApart(
            ProxyMethodInvocation call, MethodInterceptor outer, Class<?> target, boolean withoutAdvice) {
        if (!(call.getProxy() instanceof Advised proxy)) {
            return false;
        }
        boolean inside = false;
        for (Advisor advisor : proxy.getAdvisors()) {
            if (advisor.getAdvice() == outer) {
                inside = true;
            } else if (inside && advisor.getAdvice() instanceof TransactionAspectSupport transaction) {
                TransactionAttributeSource source = transaction.getTransactionAttributeSource();
                TransactionAttribute attribute =
                        source == null ? null : source.getTransactionAttribute(call.getMethod(), target);
                return attribute == null ? withoutAdvice : suspends(attribute);
            }
        }
        return withoutAdvice;
    }

    private static boolean suspends(TransactionAttribute attribute) {
        int propagation = attribute.getPropagationBehavior();
        return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }
}
