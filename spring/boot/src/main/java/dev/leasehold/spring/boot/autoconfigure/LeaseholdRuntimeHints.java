package dev.leasehold.spring.boot.autoconfigure;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * The runtime hints register all that a native image has to keep: the scripts and schemas of the stores, and the
 * providers of their URIs, and the classes whose absence says that a module is missing.
 */
final class LeaseholdRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("dev/leasehold/**/*.lua");
        hints.resources().registerPattern("dev/leasehold/**/*.sql");
        hints.resources().registerPattern("META-INF/services/dev.leasehold.spi.StoreProvider");
        Stream.of(StoreType.values())
                .flatMap(type -> type.classes.stream())
                .forEach(name -> hints.reflection().registerTypeIfPresent(loader, name));
    }
}
