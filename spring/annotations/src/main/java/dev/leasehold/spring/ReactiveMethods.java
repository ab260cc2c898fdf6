package dev.leasehold.spring;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseFunction;
import dev.leasehold.spring.internal.RunningBodies;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Mono;

/**
 * Reactive methods are those that return reactive types. Their calls are made in a class of its own, since Reactor may
 * be missing.
 */
final class ReactiveMethods {

    private ReactiveMethods() {}

    /**
     * Runs what a method returns under a lock.
     *
     * @param body calls the method, at each subscription
     * @return a stream of the method's return type; for a suspending function the publisher that Spring makes one of
     */
    static Object call(
            LockedMethod method,
            Supplier<DistributedLock> lock,
            String name,
            RunningBodies running,
            LeaseFunction<@Nullable Object, Exception> body) {
        ReactiveCall under = new ReactiveCall(
                lock, name, method.maxWait(), method.onBusy(), method.name().text(), running);
        if (KotlinDetector.isSuspendingFunction(method.method())) {
            Function<Lease, Publisher<?>> coroutine = lease -> publisher(body, lease, null);
            return ReturnKind.isSuspendedFlow(method.method()) ? under.flux(coroutine) : under.mono(coroutine);
        }
        ReactiveAdapter adapter =
                Objects.requireNonNull(ReturnKind.adapter(method.returns().toClass()));
        Function<Lease, Publisher<?>> stream = lease -> publisher(body, lease, adapter);
        return adapter.fromPublisher(adapter.isMultiValue() ? under.flux(stream) : under.mono(stream));
    }

    private static Publisher<?> publisher(
            LeaseFunction<@Nullable Object, Exception> body, Lease lease, @Nullable ReactiveAdapter adapter) {
        Object made;
        try {
            made = Objects.requireNonNull(body.call(lease), "the stream that the method returns");
        } catch (Exception e) {
            return Mono.error(e);
        }
        return adapter == null ? (Publisher<?>) made : adapter.toPublisher(made);
    }
}
