package dev.leasehold.spring;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseFunction;
import dev.leasehold.Leasehold;
import dev.leasehold.LockBusyException;
import dev.leasehold.spring.internal.RunningBodies;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.task.TaskDecorator;
import org.springframework.util.function.SingletonSupplier;

/** The locked interceptor runs the calls of locked methods under their locks. */
final class LockedInterceptor implements MethodInterceptor {

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");

    private final AnnotatedMethods<Locked, LockedMethod> methods;
    private final Clients clients;
    private final RunningBodies running;
    private final BeanFactory beans;
    private final Supplier<TaskDecorator> context;

    LockedInterceptor(
            AnnotatedMethods<Locked, LockedMethod> methods, Clients clients, RunningBodies running, BeanFactory beans) {
        this.methods = methods;
        this.clients = clients;
        this.running = running;
        this.beans = beans;
        this.context = SingletonSupplier.of(() -> CallContext.of(beans));
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "a locked method has an object");
        LockedMethod method = methods.of(invocation.getMethod(), target.getClass());
        if (method == null) {
            return invocation.proceed();
        }
        Leasehold client = clients.client(method.client());
        String name = method.name().name(target, invocation.getArguments(), beans);
        ProxyMethodInvocation call = (ProxyMethodInvocation) invocation;
        boolean inside = isInside(method, call, target.getClass());
        return switch (method.kind()) {
            case BLOCKING -> blocking(method, client, name, call, inside);
            case STAGE -> stage(method, client, name, call, inside);
            case REACTIVE -> reactive(method, client, name, call, inside);
        };
    }

    /** Returns whether what the call writes is committed only after the call. One that holds its lock has a reason to need that. */
    private boolean isInside(LockedMethod method, ProxyMethodInvocation call, Class<?> target) {
        boolean mayBePlain = !Transactions.isOpen() && method.transaction() == OuterTransaction.FAIL;
        return Transactions.isRunning() && !OwnTransaction.isApart(call, this, target, mayBePlain);
    }

    @SuppressWarnings("NullAway") // The method's result may be null, which NullAway cannot tell of a lambda.
    private @Nullable Object blocking(
            LockedMethod method, Leasehold client, String name, ProxyMethodInvocation call, boolean inside)
            throws Throwable {
        BlockingCall under = new BlockingCall(
                client,
                method.lock(client, name),
                method.maxWait(),
                inside,
                method.transaction(),
                method.name().text(),
                running);
        AtomicBoolean entered = new AtomicBoolean();
        LeaseFunction<@Nullable Object, Exception> body = lease -> {
            entered.set(true);
            return proceed(method, call, lease);
        };
        BlockingCall.Outcome<@Nullable Object> outcome;
        try {
            outcome = under.run(body);
        } catch (IllegalStateException e) {
            if (method.onBusy() == OnBusy.THROW || entered.get() || !OnBusy.isBusy(e)) {
                throw e;
            }
            logSkip(method.method(), "the client was closed before the lock ''{1}'' was free", name);
            return ReturnKind.nothing(method.returns().toClass());
        }
        if (outcome.ran()) {
            ReturnKind.refuseDeferred(method.method(), outcome.result());
            return outcome.result();
        }
        if (method.onBusy() == OnBusy.THROW) {
            throw new LockBusyException(name, "a wait of " + method.maxWait());
        }
        logSkip(method.method(), "the lock ''{1}'' is taken", name);
        return ReturnKind.nothing(method.returns().toClass());
    }

    @SuppressWarnings("unchecked")
    private Object stage(LockedMethod method, Leasehold client, String name, ProxyMethodInvocation call, boolean inside)
            throws Exception {
        if (inside) {
            throw TransactionHolds.refusal(name);
        }
        Class<?> result =
                method.returns().as(CompletionStage.class).getGeneric(0).toClass();
        Supplier<@Nullable Object> nothing = method.onBusy() == OnBusy.SKIP ? () -> ReturnKind.nothing(result) : null;
        StageCall under = new StageCall(
                method.lock(client, name), method.maxWait(), method.name().text(), running, context.get());
        LeaseFunction<CompletionStage<@Nullable Object>, Exception> body = lease ->
                (CompletionStage<@Nullable Object>) Objects.requireNonNull(proceed(method, call, lease), "its stage");
        return method.async() ? under.runHere(body, nothing) : under.run(body, nothing);
    }

    @SuppressWarnings("NullAway") // As above.
    private Object reactive(
            LockedMethod method, Leasehold client, String name, ProxyMethodInvocation call, boolean inside) {
        if (inside) {
            throw TransactionHolds.refusal(name);
        }
        Supplier<DistributedLock> lock = () -> method.lock(client, name);
        return ReactiveMethods.call(method, lock, name, running, lease -> proceed(method, call, lease));
    }

    /** Logs that a method was not run, and why, in words with the name as {1}. */
    static void logSkip(Method method, String reason, String name) {
        if (LOG.isLoggable(Level.DEBUG)) {
            String skipped = method.getDeclaringClass().getSimpleName() + "." + method.getName();
            LOG.log(Level.DEBUG, "{0} was skipped: " + reason, skipped, name);
        }
    }

    /**
     * Calls what the proxy calls next, with the lease among the arguments. It calls a clone, since that may happen
     * later and more than once.
     */
    private static @Nullable Object proceed(LockedMethod method, ProxyMethodInvocation call, Lease lease)
            throws Exception {
        @Nullable Object[] arguments = call.getArguments().clone();
        if (method.leaseParameter() >= 0) {
            arguments[method.leaseParameter()] = lease;
        }
        try {
            return call.invocableClone(arguments).proceed();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new java.lang.reflect.UndeclaredThrowableException(e);
        }
    }
}
