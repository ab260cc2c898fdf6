/**
 * This module keeps locks in Redis; start at {@link dev.leasehold.redis.RedisStore}, or with a URI {@code redis://…}.
 */
@SuppressWarnings("module") // Lettuce and Netty are automatic modules.
module dev.leasehold.redis {
    requires transitive dev.leasehold;
    requires transitive lettuce.core;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static org.jspecify;

    exports dev.leasehold.redis;

    provides dev.leasehold.spi.StoreProvider with
            dev.leasehold.redis.RedisStoreProvider;
}
