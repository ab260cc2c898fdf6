package dev.leasehold.spring;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A name expression is an expression in the template of a lock's name. It gives a text that is not empty, or fails.
 *
 * <p>The plus of Spring's expressions makes the text "null" of a missing value. So a sum is evaluated here, part by part, and each
 * part has to have a value; texts that are put together where that cannot be seen, inside of other expressions, are refused
 * when the template is parsed.
 *
 * @param template the template's whole text, for people
 */
record NameExpression(SpelExpression expression, String template, Method method) {

    /** Uses are the names in an expression: variables without their #, beans without their @. */
    record Uses(Set<String> variables, Set<String> beans) {}

    Uses uses() {
        Uses uses = new Uses(new HashSet<>(), new HashSet<>());
        collect(expression.getAST(), uses, true);
        return uses;
    }

    private void collect(SpelNode node, Uses uses, boolean inSum) {
        boolean sum = node instanceof OpPlus && node.getChildCount() == 2;
        if (node instanceof VariableReference) {
            uses.variables.add(node.toStringAST().substring(1));
        } else if (node instanceof BeanReference) {
            String bean = node.toStringAST();
            uses.beans.add(bean.replaceFirst("^@", "").replace("'", ""));
        } else if (sum && !inSum && isText(node)) {
            throw new InvalidLockedMethodException(
                    method,
                    "the lock's name '" + template
                            + "' puts texts together inside of an expression, where a missing one"
                            + " would become the text \"null\"",
                    "Put them together outside: #{#a}:#{#b}",
                    null);
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), uses, inSum && sum);
        }
    }

    private static boolean isText(SpelNode sum) {
        for (int i = 0; i < sum.getChildCount(); i++) {
            SpelNode part = sum.getChild(i);
            if (part instanceof StringLiteral || (part instanceof OpPlus && isText(part))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the text for a call.
     *
     * @throws InvalidLockNameException if the expression fails, or gives null, an empty text or something that is no text
     */
    String text(EvaluationContext context) {
        Object value;
        try {
            ExpressionState state = new ExpressionState(context);
            value = value(expression.getAST(), state);
        } catch (EvaluationException e) {
            throw new InvalidLockNameException(problem("failed: " + e.getSimpleMessage()), e);
        }
        return textOf(value);
    }

    private @Nullable Object value(SpelNode node, ExpressionState state) {
        if (!(node instanceof OpPlus) || node.getChildCount() != 2) {
            return node.getValue(state);
        }
        Object left = value(node.getChild(0), state);
        Object right = value(node.getChild(1), state);
        return left instanceof Number && right instanceof Number ? node.getValue(state) : textOf(left) + textOf(right);
    }

    private String textOf(@Nullable Object value) {
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
