package dev.leasehold.engine.threads;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * BlockingThreads tells whether the calling thread may do blocking work for a store. A virtual thread must not: a driver may
 * pin its carrier, and an interrupt closes the socket that it reads from. Java 17 does not know virtual threads, so the
 * method is looked up.
 */
public final class BlockingThreads {

    private static final @Nullable MethodHandle IS_VIRTUAL = find();

    private BlockingThreads() {}

    private static @Nullable MethodHandle find() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    public static boolean mayBlock() {
        MethodHandle isVirtual = IS_VIRTUAL;
        if (isVirtual == null) {
            return true;
        }
        try {
            return !(boolean) isVirtual.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            return false;
        }
    }
}
