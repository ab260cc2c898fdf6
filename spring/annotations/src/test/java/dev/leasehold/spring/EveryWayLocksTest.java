package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leasehold.Lease;
import dev.leasehold.spring.elsewhere.Base;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.EventListener;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/**
 * Whatever a bean is, and however its proxy is made: a method with the annotation runs under its lock, or the start fails. It
 * never runs without the lock.
 */
class EveryWayLocksTest {

    private static String lock() {
        return CurrentLease.get().name();
    }

    interface Way {
        String call() throws Exception;
    }

    static class PublicMethod implements Way {
        @Override
        @Locked("a")
        public String call() {
            return lock();
        }
    }

    public static class PackagePrivateMethod {
        @Locked("a")
        String method() {
            return lock();
        }
    }

    static class InheritedProtected extends Base.Protected {}

    static class InheritedPackagePrivate extends Base.PackagePrivate {}

    static class LeadersPackagePrivate extends Base.LeadersPackagePrivate {}

    interface WithDefault {
        @Locked("a")
        default String method() {
            return lock();
        }
    }

    static class Default implements WithDefault {}

    interface OnInterface {
        @Locked("a")
        String method();
    }

    static class Implementing implements OnInterface {
        @Override
        public String method() {
            return lock();
        }
    }

    interface Generic<T> {
        String method(T argument);
    }

    static class Bridged implements Generic<String> {
        @Override
        @Locked("a")
        public String method(String argument) {
            return lock();
        }
    }

    static class Asynchronous {
        @Async
        @Locked("a")
        public CompletableFuture<String> method(@Nullable Lease lease) {
            return CompletableFuture.completedFuture(lease.name());
        }
    }

    static class Cached {
        @Cacheable("results")
        @Locked("a")
        public String method() {
            return lock();
        }
    }

    static class Retried {
        private int tries;

        @Retryable(delay = 1)
        @Locked("a")
        public String method() {
            if (tries++ == 0) {
                throw new IllegalStateException("to be tried again");
            }
            return lock();
        }
    }

    static class RetriedByTheLibrary {
        static final CopyOnWriteArrayList<Long> TOKENS = new CopyOnWriteArrayList<>();
        private final Retried body = new Retried();

        @org.springframework.retry.annotation.Retryable(backoff = @Backoff(delay = 1))
        @Locked("a")
        public String method() {
            TOKENS.addIfAbsent(CurrentLease.get().token());
            return body.method();
        }
    }

    static class Listening {
        static final CopyOnWriteArrayList<String> SEEN = new CopyOnWriteArrayList<>();

        @EventListener
        @Locked("a")
        void on(String event) {
            SEEN.add(event + " " + lock());
        }
    }

    @Lazy
    static class LazyBean extends PublicMethod {}

    @Scope("prototype")
    static class Prototype extends PublicMethod {}

    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped extends PublicMethod {}

    @Configuration
    static class ConfigurationItself {
        @Locked("a")
        public String method() {
            return lock();
        }
    }

    static class Product extends PublicMethod {}

    static class Factory implements FactoryBean<Product> {
        @Override
        public Product getObject() {
            return new Product();
        }

        @Override
        public Class<?> getObjectType() {
            return Product.class;
        }
    }

    record Record() implements Way {
        @Override
        @Locked("a")
        public String call() {
            return lock();
        }
    }

    @Configuration
    @EnableAsync
    @EnableCaching
    @EnableResilientMethods
    @EnableRetry
    static class Everything {
        @Bean
        static ConcurrentMapCacheManager caches() {
            return new ConcurrentMapCacheManager();
        }
    }

    /** Spring Boot has classes proxied by default, Spring alone has interfaces. */
    static class ClassProxies implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
    }

    @Import(ClassProxies.class)
    @Configuration
    static class OfClasses {}

    @Configuration
    static class OfInterfaces {}

    private static AnnotationConfigApplicationContext start(boolean classes, Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(LocksInMemory.class, Everything.class, classes ? OfClasses.class : OfInterfaces.class);
        Arrays.stream(beans).forEach(context::register);
        context.refresh();
        return context;
    }

    private interface Call<B> {
        Object on(B bean) throws Exception;
    }

    private static <B> void assertLocks(boolean classes, Class<?> bean, Class<B> as, Call<B> call) throws Exception {
        try (AnnotationConfigApplicationContext context = start(classes, bean)) {
            assertThat(call.on(context.getBean(as))).as(bean.getSimpleName()).isEqualTo("a");
        }
    }

    private static void assertRefused(boolean classes, Class<?> bean, String reason) {
        Throwable failure = catchThrowable(() -> start(classes, bean).close());
        assertThat(failure).as(bean.getSimpleName()).hasStackTraceContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void methodsOfEveryKindAreLocked(boolean classes) throws Exception {
        assertLocks(classes, PublicMethod.class, Way.class, Way::call);
        assertLocks(classes, PackagePrivateMethod.class, PackagePrivateMethod.class, PackagePrivateMethod::method);
        assertLocks(classes, InheritedProtected.class, Base.Protected.class, Base.Protected::call);
        assertLocks(classes, Default.class, WithDefault.class, WithDefault::method);
        assertLocks(classes, Implementing.class, OnInterface.class, OnInterface::method);
        assertLocks(classes, Bridged.class, Generic.class, bean -> {
            @SuppressWarnings("unchecked")
            Generic<String> generic = bean;
            return generic.method("x");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void beansOfEveryKindAreLocked(boolean classes) throws Exception {
        assertLocks(classes, LazyBean.class, Way.class, Way::call);
        assertLocks(classes, Prototype.class, Way.class, Way::call);
        assertLocks(classes, ConfigurationItself.class, ConfigurationItself.class, ConfigurationItself::method);
        assertLocks(classes, Factory.class, Way.class, Way::call);
        try (AnnotationConfigApplicationContext context = start(classes, Scoped.class)) {
            assertThat(context.getBean("everyWayLocksTest.Scoped", Way.class).call())
                    .isEqualTo("a");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void methodsWithOtherAdviceAreLocked(boolean classes) throws Exception {
        assertLocks(
                classes,
                Asynchronous.class,
                Asynchronous.class,
                bean -> bean.method(null).get(A_MINUTE, TimeUnit.SECONDS));
        assertLocks(classes, Cached.class, Cached.class, Cached::method);
        assertLocks(classes, Retried.class, Retried.class, Retried::method);
        RetriedByTheLibrary.TOKENS.clear();
        assertLocks(classes, RetriedByTheLibrary.class, RetriedByTheLibrary.class, RetriedByTheLibrary::method);
        assertThat(RetriedByTheLibrary.TOKENS).as("one lock for both tries").hasSize(1);
        Listening.SEEN.clear();
        try (AnnotationConfigApplicationContext context = start(classes, Listening.class)) {
            context.publishEvent("event");
        }
        assertThat(Listening.SEEN).containsExactly("event a");
    }

    /** It ran without the lock: the proxy had a method of the same name beside it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatAProxyCannotOverrideIsRefused(boolean classes) {
        String reason = "is package-private in another package or class loader than";
        assertRefused(classes, InheritedPackagePrivate.class, reason);
        assertRefused(classes, LeadersPackagePrivate.class, reason);
    }

    @Test
    void aFinalClassIsRefused() throws Exception {
        assertRefused(true, Record.class, "Cannot subclass final class");
    }

    static class Early extends PublicMethod {}

    @Configuration
    static class NeedsABean {
        @Bean
        static BeanFactoryPostProcessor processor(Way early) {
            return beans -> assertThat(early).isInstanceOf(Early.class);
        }
    }

    @Configuration
    static class NeededByItsBean {
        @Locked("a")
        public String method() {
            return lock();
        }

        @Bean
        BeanFactoryPostProcessor processor() {
            return beans -> {};
        }
    }

    /** Spring makes what a post-processor needs before anything can be proxied: it ran without the lock. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBeanThatIsMadeBeforeProxiesIsRefused(boolean classes) {
        String reason = "was made before there were proxies";
        assertThat(catchThrowable(
                        () -> start(classes, Early.class, NeedsABean.class).close()))
                .hasMessageContaining(reason);
        assertThat(catchThrowable(() -> start(classes, NeededByItsBean.class).close()))
                .hasMessageContaining(reason);
    }

    /** A loader that loads one class itself, as that of Spring Boot's devtools does with those of the application. */
    private static final class Loader extends ClassLoader {
        private final String own;

        Loader(Class<?> own) {
            super(own.getClassLoader());
            this.own = own.getName();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(own) && findLoadedClass(name) == null ? define() : super.loadClass(name, resolve);
        }

        private Class<?> define() throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(own.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(own, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(own, e);
            }
        }
    }

    static class Restarted extends PackagePrivateMethod {}

    private static AnnotationConfigApplicationContext start(ClassLoader loader, Class<?> bean) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setClassLoader(loader);
        context.register(LocksInMemory.class, bean);
        context.refresh();
        return context;
    }

    @Test
    void aBaseOfAnotherClassLoaderIsRefused() throws Exception {
        Loader loader = new Loader(Restarted.class);
        Class<?> restarted = loader.loadClass(Restarted.class.getName());
        assertThat(restarted).isNotEqualTo(Restarted.class);
        Throwable failure = catchThrowable(() -> start(loader, restarted).close());
        assertThat(failure).hasStackTraceContaining("is package-private in another package or class loader than");
    }

    /** The bean's class belongs to a library of the container, the context to the application. */
    @Test
    void aBeanOfAParentClassLoaderIsLocked() throws Exception {
        Loader loader = new Loader(Restarted.class);
        try (AnnotationConfigApplicationContext context = start(loader, PackagePrivateMethod.class)) {
            assertThat(context.getBean(PackagePrivateMethod.class).method()).isEqualTo("a");
        }
    }
}
