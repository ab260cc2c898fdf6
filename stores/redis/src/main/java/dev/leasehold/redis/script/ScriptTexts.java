package dev.leasehold.redis.script;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * Script texts are the scripts of a client, with the time for which the record of the last token outlives a grant. It is part of
 * the text, so that it costs nothing to send. Immutable.
 */
public final class ScriptTexts {

    /** This is how long the record lives unless a client is told otherwise. */
    public static final Duration TOKEN_LIFE = Duration.ofDays(2);

    /** The short cuts begin the record's time anew once in ten seconds. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private static final String WRITTEN = millis(TOKEN_LIFE);

    private record Text(String text, EncodedArgs sha) {}

    private final Map<Script, Text> texts = new EnumMap<>(Script.class);

    public ScriptTexts(Duration tokenLife) {
        for (Script script : Script.values()) {
            if (tokenLife.equals(TOKEN_LIFE)) {
                texts.put(script, new Text(script.text(), script.sha()));
            } else {
                String text = script.text().replace(WRITTEN, millis(tokenLife));
                texts.put(script, new Text(text, Script.sha(text)));
            }
        }
    }

    private static String millis(Duration life) {
        return Long.toString(life.plus(MARGIN).toMillis());
    }

    public String text(Script script) {
        return of(script).text;
    }

    public EncodedArgs sha(Script script) {
        return of(script).sha;
    }

    private Text of(Script script) {
        Text text = texts.get(script);
        if (text == null) {
            throw new IllegalArgumentException("no text of " + script);
        }
        return text;
    }
}
