package dev.leasehold.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * A lock name template makes a lock's name of the arguments of a call. Each of its expressions has to give a text: one that
 * was left out would make calls share a lock that have nothing to do with each other. Immutable and thread-safe.
 */
final class LockNameTemplate {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final String text;
    private final Method method;
    private final List<Expression> parts;
    private final boolean constant;

    private LockNameTemplate(String text, Method method, List<Expression> parts) {
        this.text = text;
        this.method = method;
        this.parts = parts;
        this.constant = parts.stream().allMatch(LiteralExpression.class::isInstance);
    }

    /** Parses a template, and checks that it uses no variables but the method's parameters. */
    static LockNameTemplate parse(String text, Method method) {
        if (text.isEmpty()) {
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
        List<Expression> parts = whole instanceof CompositeStringExpression composite
                ? List.of(composite.getExpressions())
                : List.of(whole);
        Set<String> variables = new HashSet<>();
        parts.forEach(part -> {
            if (part instanceof SpelExpression expression) {
                collect(expression.getAST(), variables);
            }
        });
        check(variables, text, method);
        return new LockNameTemplate(text, method, parts);
    }

    private static void collect(SpelNode node, Set<String> variables) {
        if (node instanceof VariableReference) {
            variables.add(node.toStringAST().substring(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), variables);
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
        for (Expression part : parts) {
            name.append(
                    part instanceof LiteralExpression literal ? literal.getExpressionString() : value(part, context));
        }
        return name.toString();
    }

    private String value(Expression part, MethodBasedEvaluationContext context) {
        Object value;
        try {
            value = part.getValue(context);
        } catch (EvaluationException e) {
            throw new InvalidLockNameException(problem(part, "failed: " + e.getSimpleMessage()), e);
        }
        if (value == null) {
            throw new InvalidLockNameException(problem(part, "is null"), null);
        }
        String made = value.toString();
        if (made == null || made.isEmpty()) {
            throw new InvalidLockNameException(problem(part, "is empty"), null);
        }
        if (made.equals(value.getClass().getName() + "@" + Integer.toHexString(value.hashCode()))) {
            throw new InvalidLockNameException(
                    problem(part, "is a " + value.getClass().getName() + ", which has no text of its own"), null);
        }
        return made;
    }

    private String problem(Expression part, String what) {
        return "#{" + part.getExpressionString() + "} in the lock's name '" + text + "' of "
                + method.getDeclaringClass().getSimpleName() + "." + method.getName() + " " + what
                + "; nothing was locked, and the method was not run. Pass a value, or change the name";
    }

    @Override
    public String toString() {
        return text;
    }
}
