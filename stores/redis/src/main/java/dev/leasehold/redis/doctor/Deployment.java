package dev.leasehold.redis.doctor;

import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.connection.SearchingConnector;
import dev.leasehold.redis.connection.SearchingConnector.Patience;
import dev.leasehold.redis.connection.SearchingConnector.Wanted;
import dev.leasehold.redis.connection.UriConnector;
import dev.leasehold.redis.node.SlotMap;
import dev.leasehold.spi.TimeSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A deployment has servers, which the examination visits one by one.
 *
 * @param uris what the store was named by; empty for a client whose URI only it knows
 * @param cluster whether they are nodes of a cluster
 */
public record Deployment(List<RedisURI> uris, boolean cluster) {

    /** Returns a connector to the master, or to any node of a cluster. */
    public Connector first(RedisClient client, String name, TimeSource time, Patience patience) {
        if (uris.isEmpty()) {
            return new UriConnector(client, null, name);
        }
        List<Connector> servers = each().stream()
                .<Connector>map(uri -> new UriConnector(client, uri, RedisUris.name(uri)))
                .toList();
        Wanted wanted = cluster ? Wanted.ANY : isSentinel() ? Wanted.FIRST : Wanted.ONLY_MASTER;
        return servers.size() == 1
                ? servers.get(0)
                : new SearchingConnector(name, () -> servers, wanted, time, patience);
    }

    /** Returns a URI for each server that can be asked: for each sentinel, too, since Lettuce asks them in turn. */
    private List<RedisURI> each() {
        return isSentinel()
                ? uris.get(0).getSentinels().stream()
                        .map(sentinel -> RedisUris.ofSentinel(uris.get(0), sentinel))
                        .toList()
                : uris;
    }

    /** Returns a connector to one server, with the same credentials, or null if these are not known. */
    @Nullable Connector to(RedisClient client, SlotMap.Address address) {
        if (uris.isEmpty()) {
            return null;
        }
        RedisURI uri = RedisURI.builder()
                .withHost(address.host())
                .withPort(address.port())
                .withSsl(uris.get(0))
                .withAuthentication(uris.get(0))
                .build();
        return new UriConnector(client, uri, RedisUris.name(uri));
    }

    /** Returns a connector to the first server that was named, without credentials; null if that is not known. */
    @Nullable Connector anonymous(RedisClient client) {
        if (uris.isEmpty() || isSentinel()) {
            return null;
        }
        RedisURI uri = RedisURI.builder()
                .withHost(host())
                .withPort(uris.get(0).getPort())
                .withSsl(uris.get(0))
                .build();
        return new UriConnector(client, uri, RedisUris.name(uri));
    }

    boolean isSentinel() {
        return !uris.isEmpty() && !uris.get(0).getSentinels().isEmpty();
    }

    boolean hasTls() {
        return !uris.isEmpty() && uris.get(0).isSsl();
    }

    boolean hasPassword() {
        if (uris.isEmpty()) {
            return false;
        }
        RedisCredentialsProvider provider = uris.get(0).getCredentialsProvider();
        return provider instanceof RedisCredentialsProvider.ImmediateRedisCredentialsProvider now
                ? now.resolveCredentialsNow().hasPassword()
                : provider != null;
    }

    private String host() {
        RedisURI uri = isSentinel() ? uris.get(0).getSentinels().get(0) : uris.get(0);
        return uri.getHost();
    }

    /** Returns whether the servers are reached without leaving this machine. */
    boolean isLocal() {
        try {
            return !uris.isEmpty() && InetAddress.getByName(host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
