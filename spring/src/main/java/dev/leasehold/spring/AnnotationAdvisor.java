package dev.leasehold.spring;

import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** An advisor that advises annotated methods, and checks all of a class when it is asked about the class. */
final class AnnotationAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient Pointcut pointcut;
    private final transient Advice advice;

    AnnotationAdvisor(AnnotatedMethods<?, ?> methods, Advice advice, int order) {
        this.pointcut = new AnnotatedPointcut(methods);
        this.advice = advice;
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    private static final class AnnotatedPointcut extends StaticMethodMatcherPointcut {

        private final AnnotatedMethods<?, ?> methods;

        AnnotatedPointcut(AnnotatedMethods<?, ?> methods) {
            this.methods = methods;
            setClassFilter(type -> !methods.in(type).isEmpty());
        }

        @Override
        public boolean matches(Method method, Class<?> target) {
            return methods.of(method, target) != null;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof AnnotatedPointcut pointcut && pointcut.methods == methods;
        }

        @Override
        public int hashCode() {
            return methods.hashCode();
        }
    }
}
