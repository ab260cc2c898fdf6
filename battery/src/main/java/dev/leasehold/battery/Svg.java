package dev.leasehold.battery;

import java.util.Locale;

/**
 * An SVG is a drawing as text, to which shapes are added one above the other. Each shape says something when the pointer
 * rests on it.
 */
final class Svg {

    private final StringBuilder shapes = new StringBuilder();

    void rect(double x, double y, double width, double height, String style, String says) {
        shapes.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s><title>%s</title></rect>%n",
                x,
                y,
                Math.max(1, width),
                height,
                style,
                escaped(says)));
    }

    void text(double x, double y, String words) {
        shapes.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\">%s</text>%n", x, y, escaped(words)));
    }

    void line(double x, double y, double toX, double toY, String colour) {
        shapes.append(String.format(
                Locale.ROOT, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"/>%n", x, y, toX, toY, colour));
    }

    /** Adds a cross with its middle at a point. */
    void cross(double x, double y, String colour, String says) {
        shapes.append(String.format(
                Locale.ROOT,
                "<path d=\"M%.1f %.1fl8 12m0 -12l-8 12\" stroke=\"%s\" stroke-width=\"2\" fill=\"none\"><title>%s</title></path>%n",
                x - 4,
                y - 6,
                colour,
                escaped(says)));
    }

    /** Returns the whole element. */
    String element(double width, double height) {
        return String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\">%n%s</svg>",
                width,
                height,
                shapes);
    }

    /** Text as it may stand in a page. */
    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
