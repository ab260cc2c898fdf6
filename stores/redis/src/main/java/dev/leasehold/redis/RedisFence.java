package dev.leasehold.redis;

import dev.leasehold.LockException;
import dev.leasehold.StaleTokenException;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.script.Script;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A fence guards a resource in Redis with fencing tokens: it rejects a write with an older token than one that was
 * registered, in the same atomic step as the write. So a holder that was stopped, lost its lock meanwhile and goes on
 * without knowing it, cannot harm its successor's work.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.on(connection.sync(), "account:42");
 * try (Lease lease = lock.acquire()) {
 *     RedisFence.Guard guard = fence.register(lease.token());   // before the first read
 *     long balance = Long.parseLong(redis.get("account:42"));
 *     guard.write("SET", "account:42", Long.toString(balance - 100));
 * }
 * }</pre>
 *
 * <p><b>Register before the first read.</b> Checking the token at writes alone is not enough: a late write can land between
 * the successor's read and its write, and is then overwritten by what the successor made of the older state. After {@link
 * #register}, no earlier holder writes any more, so what is read stays true until the own write. Read from the master: a
 * replica may show an older state. Everybody who writes the resource must do it through a guard.
 *
 * <p>The lock may live in any store, in this Redis or elsewhere; the tokens of one resource must come from one lock.
 * The newest token is kept in the key {@code leasehold:(fence):{RESOURCE}}, without an end: a fence that forgets lets old
 * writers in. It lives and dies with the data that it guards, in the same server; delete it together with the resource, and
 * {@link #reset} it when the lock moves to another kind of store, whose tokens may be smaller.
 *
 * <p>In a cluster the fence's key and the keys that are written must have the same slot: name the resource as their hash
 * tag, or as the key itself. Immutable; thread-safe if the commands are, as Lettuce's are. Methods block for as long as
 * Lettuce's time-out lets them. Its exceptions come through: after one of them a write may have been made or not.
 */
public final class RedisFence {

    private static final String GUARD = Script.read("fence.lua")
            .lines()
            .filter(line -> !line.startsWith("--"))
            .map(String::strip)
            .collect(Collectors.joining(" ", "", " "));
    private static final String WRITE = "redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2)) return 1";
    private static final String STALE = "LEASEHOLD_STALE ";
    private static final String SHARES = "s";

    private final RedisScriptingCommands<String, String> commands;
    private final String resource;
    private final String key;

    private RedisFence(RedisScriptingCommands<String, String> commands, String resource, String keyPrefix) {
        this.commands = commands;
        this.resource = resource;
        this.key = KeyNames.root(keyPrefix) + "(fence):{" + resource + '}';
    }

    /**
     * Makes a fence around a resource. Sends nothing.
     *
     * @param commands where the resource is: {@code connection.sync()} of a Lettuce connection to a server or to a cluster.
     *     Not while it is in a transaction
     * @param resource names the resource; the same for everybody who writes it. Not empty, without braces
     * @return the fence
     */
    public static RedisFence on(RedisScriptingCommands<String, String> commands, String resource) {
        Objects.requireNonNull(commands, "commands");
        if (resource.isEmpty() || resource.indexOf('{') >= 0 || resource.indexOf('}') >= 0) {
            throw new IllegalArgumentException("the resource's name must not be empty nor have braces, but was '"
                    + resource + "': it is used as a hash tag");
        }
        return new RedisFence(commands, resource, KeyNames.ROOT);
    }

    /**
     * Returns a fence around the same resource whose key begins otherwise, as {@link RedisStore#withKeyPrefix} has it for locks.
     * Everybody who writes the resource must use the same.
     *
     * @param prefix takes the place of {@code leasehold:}
     * @return the changed copy; it knows nothing of tokens that were registered under another prefix
     * @throws IllegalArgumentException if it has other characters than letters, digits and {@code ._:/-}
     */
    public RedisFence withKeyPrefix(String prefix) {
        return new RedisFence(commands, resource, prefix);
    }

    /**
     * Registers a token; from now on older ones are refused. To be called before the first read of the resource under a
     * lease. Repeating it does nothing.
     *
     * @param token the fencing token of the lease, not negative
     * @return what writes under this token
     * @throws StaleTokenException if a newer one was registered before: the lease is lost. Nothing has changed
     * @throws LockException if the fence's key holds something that is no token
     */
    public Guard register(long token) {
        if (token < 0) {
            throw new IllegalArgumentException("a fencing token is not negative, but this was " + token);
        }
        Guard guard = new Guard(token);
        guard.run("return 1", ScriptOutputType.INTEGER, new String[0]);
        return guard;
    }

    /**
     * Registers the token of a reader ({@link dev.leasehold.DistributedReadWriteLock#read()}); from now on older writers are
     * refused. Readers do not refuse each other. To be called before the first read of the resource under a lease; call
     * {@link SharedGuard#confirm} after the last one, or read within {@link SharedGuard#eval}: then no writer came in between.
     * Repeating it does nothing.
     *
     * @param token the fencing token of the lease, not negative
     * @return what reads under this token
     * @throws StaleTokenException if a newer one of a writer was registered before: the lease is lost. Nothing has changed
     * @throws LockException if the fence's key holds something that is no token
     */
    public SharedGuard registerShared(long token) {
        if (token < 0) {
            throw new IllegalArgumentException("a fencing token is not negative, but this was " + token);
        }
        SharedGuard guard = new SharedGuard(token);
        guard.confirm();
        return guard;
    }

    /**
     * Forgets all tokens. This is meant for a lock that moves to a store whose tokens begin anew, and for a resource that is
     * deleted for good; and only once no holder of the old lock still runs, because from now on any token is accepted.
     */
    public void reset() {
        commands.eval("return redis.call('DEL', KEYS[1])", ScriptOutputType.INTEGER, key);
    }

    @Override
    public String toString() {
        return key;
    }

    /** A guard writes under a registered token. Thread-safe as its fence is; of no use once a newer token is registered. */
    public final class Guard {

        private final long token;

        private Guard(long token) {
            this.token = token;
        }

        /**
         * Runs one command that writes one key, if no newer token is registered, in one atomic step.
         *
         * @param command for example {@code SET}, {@code HSET}, {@code DEL}
         * @param target the key
         * @param args what follows the key
         * @throws StaleTokenException if a newer token is registered; nothing was written
         */
        public void write(String command, String target, String... args) {
            Objects.requireNonNull(target, "target");
            String[] all = new String[args.length + 1];
            all[0] = command.toUpperCase(Locale.ROOT);
            System.arraycopy(args, 0, all, 1, args.length);
            run(WRITE, ScriptOutputType.INTEGER, new String[] {target}, all);
        }

        /**
         * Runs a Lua script of the caller's, if no newer token is registered, in one atomic step. The script sees its keys
         * and arguments as if it were alone, and its line numbers in errors are its own.
         *
         * @param script the script; without a {@code #!} line
         * @param output what Lettuce makes of its answer
         * @param keys its keys, all in the slot of the resource
         * @param args its arguments
         * @param <T> the type of the answer
         * @return the answer, null where the script answers nil
         * @throws StaleTokenException if a newer token is registered; the script has not run
         */
        @SuppressWarnings("TypeParameterUnusedInFormals") // As Lettuce has it.
        public <T extends @Nullable Object> T eval(
                String script, ScriptOutputType output, String[] keys, String... args) {
            return run(withoutFlags(script), output, keys, args);
        }

        @SuppressWarnings("TypeParameterUnusedInFormals")
        private <T extends @Nullable Object> T run(
                String script, ScriptOutputType output, String[] keys, String... args) {
            return guarded(token, "", script, output, keys, args);
        }

        /**
         * Returns the token under which it writes.
         *
         * @return the token
         */
        public long token() {
            return token;
        }
    }

    /**
     * A shared guard reads under a registered token. Thread-safe as its fence is; of no use once a newer token of a writer
     * is registered.
     */
    public final class SharedGuard {

        private final long token;

        private SharedGuard(long token) {
            this.token = token;
        }

        /**
         * Registers the token once more, after the last read: tells whether a writer has registered since.
         *
         * @throws StaleTokenException if a newer token of a writer is registered: do not use what was read
         */
        public void confirm() {
            guarded(token, SHARES, "return 1", ScriptOutputType.INTEGER, new String[0]);
        }

        /**
         * Runs a Lua script of the caller's that only reads, if no newer token of a writer is registered, in one atomic step.
         * The script sees its keys and arguments as if it were alone, and its line numbers in errors are its own.
         *
         * @param script the script; without a {@code #!} line
         * @param output what Lettuce makes of its answer
         * @param keys its keys, all in the slot of the resource
         * @param args its arguments
         * @param <T> the type of the answer
         * @return the answer, null where the script answers nil
         * @throws StaleTokenException if a newer token of a writer is registered; the script has not run
         */
        @SuppressWarnings("TypeParameterUnusedInFormals") // As Lettuce has it.
        public <T extends @Nullable Object> T eval(
                String script, ScriptOutputType output, String[] keys, String... args) {
            return guarded(token, SHARES, withoutFlags(script), output, keys, args);
        }

        /**
         * Returns the token under which it reads.
         *
         * @return the token
         */
        public long token() {
            return token;
        }
    }

    private static String withoutFlags(String script) {
        if (script.startsWith("#!")) {
            throw new IllegalArgumentException(
                    "a guarded script cannot begin with a line of flags, since the guard comes before it: '"
                            + script.lines().findFirst().orElse("") + "'");
        }
        return script;
    }

    @SuppressWarnings("TypeParameterUnusedInFormals")
    private <T extends @Nullable Object> T guarded(
            long token, String mark, String script, ScriptOutputType output, String[] keys, String... args) {
        String[] allKeys = Arrays.copyOf(keys, keys.length + 1);
        allKeys[keys.length] = key;
        String[] allArgs = Arrays.copyOf(args, args.length + 1);
        allArgs[args.length] = mark + String.format(Locale.ROOT, "%019d", token);
        try {
            return commands.eval(GUARD + script, output, allKeys, allArgs);
        } catch (RedisCommandExecutionException e) {
            String said = String.valueOf(e.getMessage());
            if (said.startsWith(STALE)) {
                throw new StaleTokenException(resource, token, Long.parseLong(said.substring(STALE.length())));
            }
            if (said.startsWith("LEASEHOLD_FENCE")) {
                throw new LockException(
                        "the fence of '" + resource + "' cannot be used, and nothing was done: " + said
                                + "; another program uses this key, or a newer release of Leasehold",
                        e);
            }
            throw e;
        }
    }
}
