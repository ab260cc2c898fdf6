package dev.leasehold.spring;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * A locked method is a method with its {@link Locked} annotation, parsed and found to be possible.
 *
 * @param returns what it returns on objects of the class that it was parsed for
 * @param options makes the options of the client's
 * @param leaseParameter which parameter is given the lease, negative for none
 * @param async whether the method is called on a thread of its own, by {@code @Async}
 */
record LockedMethod(
        Method method,
        ResolvableType returns,
        LockNameTemplate name,
        Duration maxWait,
        UnaryOperator<LockOptions> options,
        OnBusy onBusy,
        OuterTransaction transaction,
        String client,
        int leaseParameter,
        ReturnKind kind,
        boolean async) {

    private static final String USUAL_WAIT = "${leasehold.max-wait:1m}";

    static LockedMethod parse(Method method, Class<?> target, Locked locked, @Nullable ConfigurableBeanFactory beans) {
        AnnotationValues values = new AnnotationValues(method, beans);
        ResolvableType returns = ReturnKind.returnType(method, target);
        ReturnKind kind = ReturnKind.of(method, returns);
        if (locked.onBusy() == OnBusy.SKIP && !ReturnKind.hasNothing(method, returns, kind)) {
            throw new InvalidLockedMethodException(
                    method,
                    "onBusy = SKIP needs a return type that can say that nothing was done, and " + returns + " cannot",
                    "Return void, an Optional, a Mono or Flux, or a CompletionStage of Void or Optional"
                            + (kind == ReturnKind.BLOCKING ? "; or " + ReturnKind.nullable(returns) : "")
                            + "; or leave onBusy at THROW",
                    null);
        }
        if (locked.transaction() == OuterTransaction.HOLD_UNTIL_COMPLETION && kind != ReturnKind.BLOCKING) {
            throw new InvalidLockedMethodException(
                    method,
                    "transaction = HOLD_UNTIL_COMPLETION is for methods that block",
                    "Take the lock outside of the transaction",
                    null);
        }
        UnaryOperator<LockOptions> options = options(values, locked);
        try {
            var unused = options.apply(LockOptions.defaults());
        } catch (IllegalArgumentException e) {
            throw new InvalidLockedMethodException(method, String.valueOf(e.getMessage()), "Change the duration", e);
        }
        return new LockedMethod(
                method,
                returns,
                LockNameTemplate.parse(values.text(locked.name()), method, beans),
                wait(values, locked),
                options,
                locked.onBusy(),
                locked.transaction(),
                values.text(locked.client()),
                leaseParameter(method),
                kind,
                isAsync(method));
    }

    private static Duration wait(AnnotationValues values, Locked locked) {
        Duration wait = values.duration("maxWait", locked.maxWait());
        if (wait == null && locked.onBusy() == OnBusy.THROW) {
            wait = values.duration("leasehold.max-wait", values.beans() == null ? "1m" : USUAL_WAIT);
        }
        return wait == null ? Duration.ZERO : wait;
    }

    private static UnaryOperator<LockOptions> options(AnnotationValues values, Locked locked) {
        Duration lease = values.duration("lease", locked.lease());
        Duration minHold = values.duration("minHold", locked.minHold());
        Duration maxHold = values.duration("maxHold", locked.maxHold());
        return usual -> {
            LockOptions options = lease == null ? usual : usual.withLeaseDuration(lease);
            options = minHold == null ? options : options.withMinHold(minHold);
            options = maxHold == null ? options : options.withMaxHold(maxHold);
            return options.withInterruptOnLoss(locked.interruptOnLoss());
        };
    }

    static int leaseParameter(Method method) {
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (types[i] == Lease.class) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isAsync(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
    }

    DistributedLock lock(Leasehold leasehold, String lockName) {
        return leasehold.lock(lockName, options.apply(leasehold.lock(lockName).options()));
    }
}
