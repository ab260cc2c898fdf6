package dev.leasehold.battery;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A README cell is what one store promises under one row's faults, and what shows it apart from the battery's runs.
 *
 * @param words with {@code %s} for the promise's own words
 * @param writtenFor the promises to which the words fit; with another the words have to be written anew
 * @param tests that show what the runs leave open
 * @param open what neither shows; empty if nothing
 */
record ReadmeCell(ReadmeColumn column, Words words, Set<Promise> writtenFor, List<String> tests, String open) {

    ReadmeCell {
        writtenFor = Set.copyOf(writtenFor);
        tests = List.copyOf(tests);
    }

    /** Returns a cell that has the promise's own words and no evidence but runs. */
    static ReadmeCell of(ReadmeColumn column) {
        return new ReadmeCell(column, new Words("%s", "%s"), EnumSet.allOf(Promise.class), List.of(), "");
    }

    ReadmeCell saying(Promise promise, String english, String chinese) {
        return new ReadmeCell(column, new Words(english, chinese), Set.of(promise), tests, open);
    }

    ReadmeCell tests(String... names) {
        return new ReadmeCell(column, words, writtenFor, List.of(names), open);
    }

    ReadmeCell leavingOpen(String what) {
        return new ReadmeCell(column, words, writtenFor, tests, what);
    }

    /** Returns the cell's words in a language, without its evidence. */
    String text(Promise promise, Words.Language language) {
        if (!writtenFor.contains(promise)) {
            throw new IllegalStateException("the README's words '" + words.english() + "' were written for "
                    + writtenFor + ", and the judge goes by " + promise);
        }
        return words.in(language).replace("%s", word(promise).in(language));
    }

    private static Words word(Promise promise) {
        return switch (promise) {
            case EXCLUDED -> new Words("one holder", "唯一持有者");
            case FENCED -> new Words("tokens tell", "靠令牌区分");
            case NONE -> new Words("not covered", "不在保证之内");
        };
    }
}
