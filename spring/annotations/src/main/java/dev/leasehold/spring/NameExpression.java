package dev.leasehold.spring;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A name expression is an expression in the template of a lock's name. It gives a text that is not empty, or fails. Sums are
 * refused when the template is parsed: the plus of Spring's expressions makes the text "null" of a missing value.
 *
 * @param template the template's whole text, for people
 */
record NameExpression(SpelExpression expression, String template, Method method) {

    /** Uses are the names in an expression: variables without their #, beans without their @. */
    record Uses(Set<String> variables, Set<String> beans) {}

    Uses uses() {
        Uses uses = new Uses(new HashSet<>(), new HashSet<>());
        collect(expression.getAST(), uses);
        return uses;
    }

    private void collect(SpelNode node, Uses uses) {
        if (node instanceof VariableReference) {
            uses.variables.add(node.toStringAST().substring(1));
        } else if (node instanceof BeanReference) {
            String bean = node.toStringAST();
            uses.beans.add(bean.replaceFirst("^@", "").replace("'", ""));
        } else if (node instanceof OpPlus && node.getChildCount() == 2) {
            throw new InvalidLockedMethodException(
                    method,
                    "the lock's name '" + template + "' has a sum, in which a missing value would become the text"
                            + " \"null\"",
                    "Write texts and values side by side: \"invoice:#{#id}\"; add numbers in a method of the bean:"
                            + " #{next(#id)}",
                    null);
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), uses);
        }
    }

    /**
     * Returns the text for a call.
     *
     * @throws InvalidLockNameException if the expression fails, or gives null, an empty text or something that is no text
     */
    String text(EvaluationContext context) {
        Object value;
        try {
            value = expression.getValue(context);
        } catch (EvaluationException e) {
            throw new InvalidLockNameException(problem("failed: " + e.getSimpleMessage()), e);
        }
        Object inner = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (inner == null) {
            throw new InvalidLockNameException(problem(value == null ? "is null" : "is empty"), null);
        }
        String made = inner.toString();
        boolean empty = made == null
                || made.isBlank()
                || (inner instanceof Collection<?> collection && collection.isEmpty())
                || (inner instanceof Map<?, ?> map && map.isEmpty());
        if (empty) {
            throw new InvalidLockNameException(problem("is empty"), null);
        }
        if (made.equals(inner.getClass().getName() + "@" + Integer.toHexString(inner.hashCode()))) {
            throw new InvalidLockNameException(
                    problem("is a " + inner.getClass().getName() + ", which has no text of its own"), null);
        }
        return made;
    }

    private String problem(String what) {
        return "#{" + expression.getExpressionString() + "} in the lock's name '" + template + "' of "
                + method.getDeclaringClass().getSimpleName() + "." + method.getName() + " " + what
                + "; nothing was locked, and the method was not run. Pass a value, or change the name";
    }
}
