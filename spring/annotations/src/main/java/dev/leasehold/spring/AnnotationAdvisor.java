package dev.leasehold.spring;

import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** An advisor that advises annotated methods, and checks all of a class when it is asked about the class. */
final class AnnotationAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient AnnotatedMethods<?, ?> methods;
    private final transient Pointcut pointcut;
    private final transient Advice advice;

    AnnotationAdvisor(AnnotatedMethods<?, ?> methods, Advice advice, int order) {
        this.methods = methods;
        this.pointcut = new AnnotatedPointcut(methods);
        this.advice = advice;
        setOrder(order);
    }

    /** Fails if a bean has annotated methods, and is no proxy. */
    void checkIsProxied(String name, Object bean) {
        if (AopUtils.isAopProxy(bean)) {
            return;
        }
        methods.in(bean.getClass()).keySet().stream().findFirst().ifPresent(method -> {
            throw new InvalidLockedMethodException(
                    method,
                    "its bean '" + name
                            + "' was made before there were proxies, since a post-processor needs it, and the"
                            + " method would run without the lock",
                    "Make the @Bean method of the post-processor static, or have it need another bean",
                    null);
        });
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
