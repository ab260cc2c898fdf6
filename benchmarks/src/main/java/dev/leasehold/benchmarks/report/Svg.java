package dev.leasehold.benchmarks.report;

import java.util.Locale;

/** An SVG is a drawing as text, to which shapes are added one above the other. */
final class Svg {

    private final StringBuilder shapes = new StringBuilder();

    void rect(double x, double y, double width, double height, String fill, String says) {
        shapes.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s</title></rect>%n",
                x,
                y,
                Math.max(0.5, width),
                height,
                fill,
                escaped(says)));
    }

    /** Text whose anchor is start, middle or end. */
    void text(double x, double y, String anchor, String words) {
        shapes.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#444\">%s</text>%n",
                x,
                y,
                anchor,
                escaped(words)));
    }

    void line(double x, double y, double toX, double toY, String colour, double width) {
        shapes.append(String.format(
                Locale.ROOT,
                "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%.1f\" fill=\"none\"/>%n",
                x,
                y,
                toX,
                toY,
                colour,
                width));
    }

    void dot(double x, double y, String colour, String says) {
        shapes.append(String.format(
                Locale.ROOT,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"><title>%s</title></circle>%n",
                x,
                y,
                colour,
                escaped(says)));
    }

    String element(double width, double height) {
        return String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>%n%s</svg>",
                width,
                height,
                shapes);
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
