package dev.leasehold.spring;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import java.util.Objects;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** The leader interceptor lets calls of leader-only methods pass where this instance leads. */
final class LeaderInterceptor implements MethodInterceptor {

    private final AnnotatedMethods<LeaderOnly, LeaderMethod> methods;
    private final Supplier<Elections> elections;

    LeaderInterceptor(AnnotatedMethods<LeaderOnly, LeaderMethod> methods, Supplier<Elections> elections) {
        this.methods = methods;
        this.elections = elections;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "a leader-only method has an object");
        LeaderMethod method = methods.of(invocation.getMethod(), target.getClass());
        if (method == null) {
            return invocation.proceed();
        }
        Elections all = elections.get();
        checkTransaction(all, method, (ProxyMethodInvocation) invocation, target.getClass());
        Office office = all.isRunning() ? all.office(method.office()) : null;
        Lease lease = office == null ? null : office.enter();
        if (office == null || lease == null) {
            if (method.onFollower() == OnBusy.THROW) {
                throw new NotLeaderException(method.office());
            }
            LockedInterceptor.logSkip(
                    method.method(), "this instance does not lead ''{1}''", all.named(method.office()));
            return ReturnKind.nothing(method.returns().toClass());
        }
        return work(method, (ProxyMethodInvocation) invocation, office, lease);
    }

    /**
     * Refuses a call inside of a running transaction. A term may end as soon as the method has returned, and so before
     * a transaction commits that was there before.
     */
    private void checkTransaction(Elections all, LeaderMethod method, ProxyMethodInvocation call, Class<?> target) {
        if (Transactions.isRunning()
                && !(all.isRunning() && all.office(method.office()).isAtWork())
                && !OwnTransaction.isApart(call, this, target, !Transactions.isOpen())) {
            throw LockInsideTransactionException.ofOffice(all.named(method.office()), TransactionHolds.name());
        }
    }

    private static @Nullable Object work(LeaderMethod method, ProxyMethodInvocation call, Office office, Lease lease)
            throws Throwable {
        @Nullable Object[] arguments = call.getArguments().clone();
        if (method.leaseParameter() >= 0) {
            arguments[method.leaseParameter()] = lease;
        }
        Lease outer = CurrentLease.set(lease);
        Throwable failure = null;
        boolean isSameTerm = false;
        boolean byUs;
        Object result = null;
        try {
            result = call.invocableClone(arguments).proceed();
            isSameTerm = office.isInTerm(lease);
        } catch (Throwable e) {
            failure = e;
        } finally {
            CurrentLease.set(outer);
            byUs = office.leave(failure);
        }
        if (failure != null && !byUs) {
            throw failure;
        }
        if (!isSameTerm) {
            LeaseLostException lost =
                    new LeaseLostException(lease.name(), lease.token(), "the term ended while the method ran", failure);
            throw lost;
        }
        ReturnKind.refuseDeferred(method.method(), result);
        return result;
    }
}
