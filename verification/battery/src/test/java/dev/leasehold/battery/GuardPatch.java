package dev.leasehold.battery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A guard patch is the patch that switches a guard off. It fits where all its lines stand. Where its neighbours have changed, it
 * goes to the one place that has what it removes, and more of its context than any other; at least half of it. A file that has
 * moved is found by its name. Whatever is not certain does not fit, so that no patch breaks something else.
 *
 * <p>It needs nothing but the JDK: {@code break-guards} also runs it as it stands here.
 */
final class GuardPatch {

    /** Lines of context that lie so far from the change still count. */
    private static final int REACH = 6;

    /** What has fewer letters is a brace or the like, and stands everywhere. */
    private static final int FEWEST_LETTERS = 4;

    private final Path root;
    private final Map<Path, List<Hunk>> hunks = new LinkedHashMap<>();

    private record Line(char kind, String text) {
        boolean isOld() {
            return kind != '+';
        }
    }

    /** These lines take the place of those from the first to before the end. */
    private record Edit(int first, int end, List<String> lines) {}

    /** A place of a change, and how much of the context is there. */
    private record Place(int first, int end, int agreement) {}

    private static final class Hunk {

        private final List<Line> lines = new ArrayList<>();

        List<String> old(int first, int end) {
            return lines.subList(first, end).stream()
                    .filter(Line::isOld)
                    .map(Line::text)
                    .toList();
        }

        List<String> added(int first, int end) {
            return lines.subList(first, end).stream()
                    .filter(line -> line.kind == '+')
                    .map(Line::text)
                    .toList();
        }

        /** Returns the index after the last line of the same sort: context, or what is changed. */
        int endOfRun(int first) {
            int end = first;
            while (end < lines.size() && (lines.get(end).kind == ' ') == (lines.get(first).kind == ' ')) {
                end++;
            }
            return end;
        }

        List<Edit> edits(List<String> source) {
            List<Integer> exactly = indexes(source, old(0, lines.size()));
            if (exactly.size() > 1) {
                throw new IllegalArgumentException("fits at several places: " + old(0, lines.size()));
            }
            List<String> plain = source.stream().map(Hunk::plain).toList();
            List<Edit> edits = new ArrayList<>();
            int end;
            for (int first = 0; first < lines.size(); first = end) {
                end = endOfRun(first);
                if (lines.get(first).kind != ' ') {
                    edits.add(exactly.isEmpty() ? found(plain, first, end) : at(exactly.get(0), first, end));
                }
            }
            return edits;
        }

        private Edit at(int start, int first, int end) {
            int from = start + old(0, first).size();
            return new Edit(from, from + old(first, end).size(), added(first, end));
        }

        private Edit found(List<String> source, int first, int end) {
            List<String> removed = plain(old(first, end));
            List<String> before = new ArrayList<>(plain(old(0, first)));
            Collections.reverse(before);
            List<String> after = plain(old(end, lines.size()));
            List<Place> places = starts(source, removed, before, after)
                    .map(start -> place(source, start, start + removed.size(), before, after))
                    .sorted(Comparator.comparingInt(Place::agreement).reversed())
                    .toList();
            long context = Stream.concat(before.stream(), after.stream())
                    .filter(Hunk::says)
                    .count();
            String what = String.valueOf(removed.isEmpty() ? before : removed);
            if (places.isEmpty()) {
                throw new IllegalArgumentException("is no longer there: " + what);
            }
            Place best = places.get(0);
            if (best.agreement == 0 || best.agreement * 2L < context) {
                throw new IllegalArgumentException("stands among other lines now: " + what);
            }
            if (places.size() > 1 && places.get(1).agreement == best.agreement) {
                throw new IllegalArgumentException("may be at several places: " + what);
            }
            return new Edit(best.first, best.end, added(first, end));
        }

        /** What only adds goes behind the line before it, or in front of that after it. */
        private static Stream<Integer> starts(
                List<String> source, List<String> removed, List<String> before, List<String> after) {
            if (!removed.isEmpty()) {
                return indexes(source, removed).stream();
            }
            Stream<Integer> behind = before.stream()
                    .limit(1)
                    .flatMap(line -> indexes(source, List.of(line)).stream().map(index -> index + 1));
            Stream<Integer> inFront = after.stream().limit(1).flatMap(line -> indexes(source, List.of(line)).stream());
            return Stream.concat(behind, inFront).distinct();
        }

        private static Place place(List<String> source, int first, int end, List<String> before, List<String> after) {
            List<String> above = new ArrayList<>(source.subList(Math.max(0, first - REACH), first));
            Collections.reverse(above);
            List<String> below = source.subList(end, Math.min(source.size(), end + REACH));
            return new Place(first, end, inOrder(before, above) + inOrder(after, below));
        }

        /** Returns how many of the lines stand among the others, one after the other. */
        private static int inOrder(List<String> lines, List<String> among) {
            int found = 0;
            int from = 0;
            for (String line : lines) {
                int index = says(line) ? among.subList(from, among.size()).indexOf(line) : -1;
                if (index >= 0) {
                    found++;
                    from += index + 1;
                }
            }
            return found;
        }

        private static boolean says(String line) {
            return line.chars().filter(Character::isLetterOrDigit).count() >= FEWEST_LETTERS;
        }

        private static List<String> plain(List<String> lines) {
            return lines.stream().map(Hunk::plain).toList();
        }

        private static String plain(String line) {
            return line.strip().replaceAll("\\s+", " ");
        }

        private static List<Integer> indexes(List<String> source, List<String> part) {
            return IntStream.rangeClosed(0, source.size() - part.size())
                    .filter(index -> source.subList(index, index + part.size()).equals(part))
                    .boxed()
                    .toList();
        }
    }

    GuardPatch(Path root, List<String> patch) throws IOException {
        this.root = root;
        List<Hunk> ofFile = List.of();
        Hunk hunk = null;
        for (String line : patch.subList(patch.indexOf(""), patch.size())) {
            if (line.startsWith("diff --git ")) {
                hunk = null;
            } else if (line.startsWith("+++ b/") && hunk == null) {
                ofFile = hunks.computeIfAbsent(file(line.substring(6)), file -> new ArrayList<>());
            } else if (line.startsWith("@@")) {
                hunk = new Hunk();
                ofFile.add(hunk);
            } else if (hunk != null && !line.isEmpty()) {
                hunk.lines.add(new Line(line.charAt(0), line.substring(1)));
            }
        }
    }

    private Path file(String name) throws IOException {
        Path file = root.resolve(name);
        if (Files.exists(file)) {
            return file;
        }
        try (Stream<Path> all = Files.walk(root)) {
            List<Path> same = all.filter(path -> path.endsWith(file.getFileName())
                            && root.relativize(path).toString().contains("src/main/"))
                    .toList();
            if (same.size() != 1) {
                throw new IllegalArgumentException(name + " is gone, and has moved to one of " + same);
            }
            return same.get(0);
        }
    }

    /**
     * Returns what the files become.
     *
     * @throws IllegalArgumentException if it does not surely fit
     */
    Map<Path, List<String>> applied() throws IOException {
        Map<Path, List<String>> changed = new LinkedHashMap<>();
        for (Map.Entry<Path, List<Hunk>> ofFile : hunks.entrySet()) {
            List<String> source = Files.readAllLines(ofFile.getKey());
            List<Edit> edits = ofFile.getValue().stream()
                    .flatMap(hunk -> hunk.edits(source).stream())
                    .sorted(Comparator.comparingInt(Edit::first))
                    .toList();
            List<String> lines = new ArrayList<>();
            int done = 0;
            for (Edit edit : edits) {
                if (edit.first < done) {
                    throw new IllegalArgumentException("has two changes at one place: " + edit.lines);
                }
                lines.addAll(source.subList(done, edit.first));
                lines.addAll(edit.lines);
                done = edit.end;
            }
            lines.addAll(source.subList(done, source.size()));
            changed.put(ofFile.getKey(), lines);
        }
        return changed;
    }

    /** Returns the changes that would go elsewhere, were the lines gone that they are for. */
    List<String> strays() throws IOException {
        List<String> strays = new ArrayList<>();
        for (Map.Entry<Path, List<Hunk>> ofFile : hunks.entrySet()) {
            List<String> source = Files.readAllLines(ofFile.getKey());
            for (Hunk hunk : ofFile.getValue()) {
                for (Edit edit : hunk.edits(source)) {
                    List<String> without = new ArrayList<>(source);
                    int beside = edit.first == edit.end ? 1 : 0;
                    Collections.fill(without.subList(edit.first - beside, edit.end + beside), "");
                    try {
                        strays.add(hunk.edits(without).toString());
                    } catch (IllegalArgumentException e) {
                        continue; // As it has to be.
                    }
                }
            }
        }
        return strays;
    }

    /** Applies a patch to the current directory; with {@code --check} only says which patches do not fit. */
    public static void main(String[] args) throws IOException {
        boolean check = args[0].equals("--check");
        int misfits = 0;
        for (String file : List.of(args).subList(check ? 1 : 0, args.length)) {
            try {
                GuardPatch patch = new GuardPatch(Path.of(""), Files.readAllLines(Path.of(file)));
                Map<Path, List<String>> changed = patch.applied();
                if (!check) {
                    for (Map.Entry<Path, List<String>> each : changed.entrySet()) {
                        Files.write(each.getKey(), each.getValue());
                    }
                } else if (!patch.strays().isEmpty()) {
                    throw new IllegalArgumentException("needs more context: it could go elsewhere: " + patch.strays());
                }
            } catch (IllegalArgumentException e) {
                misfits++;
                System.out.println(file + " " + e.getMessage());
            }
        }
        System.exit(misfits == 0 ? 0 : 1);
    }
}
