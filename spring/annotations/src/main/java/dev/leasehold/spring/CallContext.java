package dev.leasehold.spring;

import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.util.ClassUtils;

/**
 * The call context is what belongs to a thread (a trace, a user, a logging context) and goes along with a call to another one:
 * by the application's {@link TaskDecorator} beans, as for Spring's executors, or, where there is none, by context propagation
 * if its library is there.
 */
final class CallContext {

    private static final boolean PROPAGATES =
            ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", CallContext.class.getClassLoader());

    private CallContext() {}

    static TaskDecorator of(BeanFactory beans) {
        List<TaskDecorator> given =
                beans.getBeanProvider(TaskDecorator.class).orderedStream().toList();
        if (given.isEmpty()) {
            return PROPAGATES ? new ContextPropagatingTaskDecorator() : task -> task;
        }
        return given.size() == 1 ? given.get(0) : new CompositeTaskDecorator(given);
    }
}
