package dev.leasehold.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * A lock name template makes a lock's name of the arguments of a call. Each of its expressions has to give a text: one that
 * was left out would make calls share a lock that have nothing to do with each other. Immutable and thread-safe.
 */
final class LockNameTemplate {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /** A part is a piece of text as it stands, or an expression. */
    private sealed interface Part {}

    private record Text(String text) implements Part {}

    private record Value(NameExpression expression) implements Part {}

    private final String text;
    private final Method method;
    private final List<Part> parts;
    private final boolean constant;

    private LockNameTemplate(String text, Method method, List<Part> parts) {
        this.text = text;
        this.method = method;
        this.parts = parts;
        this.constant = parts.stream().allMatch(Text.class::isInstance);
    }

    /** Parses a template, and checks that it uses no variables but the method's parameters, and no beans that are not there. */
    static LockNameTemplate parse(String text, Method method, @Nullable BeanFactory beans) {
        if (text.isBlank()) {
            throw new InvalidLockedMethodException(method, "the lock has no name", "Write @Locked(\"NAME\")", null);
        }
        Expression whole;
        try {
            whole = PARSER.parseExpression(text, new TemplateParserContext());
        } catch (ParseException e) {
            throw new InvalidLockedMethodException(
                    method,
                    "the lock's name '" + text + "' cannot be parsed: " + e.getSimpleMessage(),
                    "Expressions stand in #{…}: \"invoice:#{#id}\"",
                    e);
        }
        List<Expression> expressions = whole instanceof CompositeStringExpression composite
                ? List.of(composite.getExpressions())
                : List.of(whole);
        List<Part> parts = new ArrayList<>();
        for (Expression one : expressions) {
            if (one instanceof SpelExpression expression) {
                NameExpression name = new NameExpression(expression, text, method);
                NameExpression.Uses uses = name.uses();
                check(uses.variables(), text, method);
                checkBeans(uses.beans(), text, method, beans);
                parts.add(new Value(name));
            } else {
                parts.add(new Text(one.getExpressionString()));
            }
        }
        return new LockNameTemplate(text, method, List.copyOf(parts));
    }

    private static void checkBeans(Set<String> used, String text, Method method, @Nullable BeanFactory beans) {
        for (String bean : used) {
            if (beans != null && !beans.containsBean(bean)) {
                throw new InvalidLockedMethodException(
                        method,
                        "the lock's name '" + text + "' uses the bean '" + bean + "', which is not there",
                        "Use the name of a bean",
                        null);
            }
        }
    }

    private static void check(Set<String> variables, String text, Method method) {
        @Nullable String @Nullable [] names = NAMES.getParameterNames(method);
        List<String> known = new ArrayList<>(List.of("root", "this"));
        for (int i = 0; i < method.getParameterCount(); i++) {
            known.addAll(List.of("p" + i, "a" + i));
        }
        if (names != null) {
            for (String name : names) {
                if (name != null) {
                    known.add(name);
                }
            }
        }
        for (String variable : variables) {
            if (!known.contains(variable)) {
                throw new InvalidLockedMethodException(
                        method,
                        "the lock's name '" + text + "' uses #" + variable + ", and "
                                + (names == null
                                        ? "the names of the parameters are not in the class"
                                        : "the parameters are " + Arrays.toString(names)),
                        names == null
                                ? "Compile with -parameters, or write #p0 for the first parameter"
                                : "Use the name of a parameter, or #p0 for the first",
                        null);
            }
        }
    }

    String text() {
        return text;
    }

    /**
     * Makes the name for a call.
     *
     * @throws InvalidLockNameException if an expression fails, or gives null, an empty text or something that is no text
     */
    String name(Object target, @Nullable Object[] arguments, @Nullable BeanFactory beans) {
        if (constant) {
            return text;
        }
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(target, method, arguments, NAMES);
        if (beans != null) {
            context.setBeanResolver(new BeanFactoryResolver(beans));
        }
        StringBuilder name = new StringBuilder();
        for (Part part : parts) {
            name.append(part instanceof Value value ? value.expression().text(context) : ((Text) part).text());
        }
        return name.toString();
    }

    @Override
    public String toString() {
        return text;
    }
}
