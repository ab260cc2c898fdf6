package dev.leasehold.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.ResolvableType;

/** A leader method is a method with its {@link LeaderOnly} annotation, parsed and found to be possible. */
record LeaderMethod(Method method, ResolvableType returns, String office, OnBusy onFollower, int leaseParameter) {

    static LeaderMethod parse(
            Method method, Class<?> target, LeaderOnly leader, @Nullable ConfigurableBeanFactory beans) {
        ResolvableType returns = ReturnKind.returnType(method, target);
        ReturnKind kind = ReturnKind.of(method, returns);
        if (kind != ReturnKind.BLOCKING) {
            throw new InvalidLockedMethodException(
                    method,
                    "@LeaderOnly is for methods that block",
                    "Ask Elections.isLeader(office), and check the lease of the term yourself",
                    null);
        }
        if (leader.onFollower() == OnBusy.SKIP && !ReturnKind.hasNothing(method, returns, kind)) {
            throw new InvalidLockedMethodException(
                    method,
                    "onFollower = SKIP needs a return type that can say that nothing was done",
                    "Return void or an Optional; or " + ReturnKind.nullable(returns) + "; or write onFollower = THROW",
                    null);
        }
        return new LeaderMethod(
                method,
                returns,
                new AnnotationValues(method, beans).text(leader.value()),
                leader.onFollower(),
                LockedMethod.leaseParameter(method));
    }
}
