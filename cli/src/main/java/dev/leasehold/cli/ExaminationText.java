package dev.leasehold.cli;

import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** An examination text shows an examination, for people and for programs. */
final class ExaminationText {

    private static final String INDENT = "         ";
    private static final int WIDTH = 100;

    private ExaminationText() {}

    /**
     * Returns the text for people: the worst findings come first; one that is the same on several nodes comes once;
     * those that are fine take one line each.
     */
    static String words(String store, Examination examination) {
        StringBuilder text = new StringBuilder(Escapes.shown(store)).append("\n\n");
        Map<Finding, List<String>> nodes = new LinkedHashMap<>();
        for (Finding finding : examination.findings()) {
            nodes.computeIfAbsent(anywhere(finding), key -> new ArrayList<>()).add(finding.node());
        }
        nodes.forEach((finding, where) -> {
            boolean elsewhere = nodes.size() > 1 && !where.equals(List.of(store));
            text.append(one(finding, elsewhere ? String.join(", ", where) : ""));
        });
        return text.append('\n').append(wrapped(examination.verdict(), "")).toString();
    }

    private static Finding anywhere(Finding of) {
        return new Finding(of.severity(), of.code(), "", of.what(), of.consequence(), of.remedy(), of.fault());
    }

    private static String one(Finding finding, String nodes) {
        String word = finding.severity() == Severity.FINE
                ? "ok"
                : finding.severity() == Severity.NOTE
                        ? "note"
                        : finding.severity().name();
        String head =
                word + INDENT.substring(word.length()) + finding.what() + (nodes.isEmpty() ? "" : " [" + nodes + "]");
        String text = wrapped(head, INDENT);
        if (!finding.consequence().isEmpty()) {
            text += wrapped(INDENT + finding.consequence(), INDENT);
        }
        if (!finding.remedy().isEmpty()) {
            text += wrapped(INDENT + "-> " + finding.remedy(), INDENT + "   ");
        }
        return text;
    }

    /** Breaks lines between words; all but the first are indented. */
    private static String wrapped(String text, String indent) {
        StringBuilder lines = new StringBuilder();
        String rest = Escapes.shown(text);
        while (rest.length() > WIDTH) {
            int end = rest.lastIndexOf(' ', WIDTH);
            if (end <= indent.length()) {
                break;
            }
            lines.append(rest, 0, end).append('\n');
            rest = indent + rest.substring(end + 1);
        }
        return lines.append(rest).append('\n').toString();
    }

    static String json(String store, Examination examination) {
        return "{\"store\":" + Escapes.json(store)
                + ",\"worst\":" + word(examination.worst())
                + ",\"verdict\":" + Escapes.json(examination.verdict())
                + ",\"findings\":["
                + examination.findings().stream()
                        .map(ExaminationText::json)
                        .collect(Collectors.joining(",\n ", "\n ", ""))
                + "]}\n";
    }

    private static String json(Finding finding) {
        return "{\"severity\":" + word(finding.severity())
                + ",\"code\":" + Escapes.json(finding.code())
                + ",\"node\":" + Escapes.json(finding.node())
                + ",\"what\":" + Escapes.json(finding.what())
                + ",\"consequence\":" + Escapes.json(finding.consequence())
                + ",\"remedy\":" + Escapes.json(finding.remedy())
                + ",\"fencedOnlyAfter\":" + (finding.fault().isEmpty() ? "null" : Escapes.json(finding.fault()))
                + "}";
    }

    private static String word(Severity severity) {
        return Escapes.json(severity.name().toLowerCase(Locale.ROOT));
    }
}
