package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * These tests show that the error names the artifact that brings a scheme, where its module is missing. Here all
 * modules but the core are.
 */
class StoresTest {

    @ParameterizedTest
    @CsvSource({
        "sqlite, jdbc",
        "jdbc, jdbc",
        "redis, redis",
        "rediss, redis",
        "redis-sentinel, redis",
        "rediss-sentinel, redis",
        "redis-cluster, redis",
        "rediss-cluster, redis",
        "redlock, redis",
        "redlocks, redis",
        "zookeeper, zookeeper"
    })
    void aMissingModuleIsNamed(String scheme, String module) {
        assertThatThrownBy(() -> Leasehold.connect(scheme + "://nowhere"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("add the dependency dev.leasehold:leasehold-" + module);
    }
}
