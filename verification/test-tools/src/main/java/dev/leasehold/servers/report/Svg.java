package dev.leasehold.servers.report;

import java.util.Locale;

/** An SVG is a drawing as text, to which shapes are added one above the other. Some say something when the pointer rests on them. */
public final class Svg {

    private final StringBuilder shapes = new StringBuilder();
    private final double leastWidth;

    /** Begins a drawing in which rectangles that are too narrow to be seen get a least width. */
    public Svg(double leastWidth) {
        this.leastWidth = leastWidth;
    }

    /** Returns the style of a shape of one colour. */
    public static String fill(String colour) {
        return "fill=\"" + colour + "\"";
    }

    /** Adds a rectangle; its style is attributes such as {@link #fill}. */
    public void rect(double x, double y, double width, double height, String style, String says) {
        shapes.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s><title>%s</title></rect>%n",
                x,
                y,
                Math.max(leastWidth, width),
                height,
                style,
                escaped(says)));
    }

    /** Adds a text; its style is attributes. */
    public void text(double x, double y, String style, String words) {
        shapes.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>%n",
                x,
                y,
                style.isEmpty() ? "" : ' ' + style,
                escaped(words)));
    }

    /** Adds a straight line. */
    public void line(double x, double y, double toX, double toY, String colour, double width) {
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

    /** Adds a dot with its middle at a point. */
    public void dot(double x, double y, String colour, String says) {
        shapes.append(String.format(
                Locale.ROOT,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"><title>%s</title></circle>%n",
                x,
                y,
                colour,
                escaped(says)));
    }

    /** Adds a cross with its middle at a point. */
    public void cross(double x, double y, String colour, String says) {
        shapes.append(String.format(
                Locale.ROOT,
                "<path d=\"M%.1f %.1fl8 12m0 -12l-8 12\" stroke=\"%s\" stroke-width=\"2\" fill=\"none\"><title>%s</title></path>%n",
                x - 4,
                y - 6,
                colour,
                escaped(says)));
    }

    /** Returns the whole element. */
    public String element(double width, double height) {
        return element(width, height, "", "");
    }

    /** Returns the whole element with attributes of its own, on a background that is an element, too. */
    public String element(double width, double height, String style, String background) {
        return String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\"%s>%n%s%s</svg>",
                width,
                height,
                style.isEmpty() ? "" : ' ' + style,
                background,
                shapes);
    }

    /** Returns a text as it may stand in a page. */
    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
