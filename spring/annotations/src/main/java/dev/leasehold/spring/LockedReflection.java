package dev.leasehold.spring;

import java.lang.reflect.Method;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Locked reflection registers the parts of a locked method that a native image has to keep: the method, and where its
 * lock's name has an expression, all that this may read: the properties of the parameters and the methods of the bean.
 */
final class LockedReflection extends SimpleReflectiveProcessor {

    @Override
    protected void registerMethodHint(ReflectionHints hints, Method method) {
        super.registerMethodHint(hints, method);
        Locked locked = AnnotatedElementUtils.findMergedAnnotation(method, Locked.class);
        if (locked != null && locked.name().contains("#{")) {
            new BindingReflectionHintsRegistrar().registerReflectionHints(hints, method.getGenericParameterTypes());
            hints.registerType(method.getDeclaringClass(), MemberCategory.INVOKE_PUBLIC_METHODS);
        }
    }
}
