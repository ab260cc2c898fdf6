package dev.leasehold.redis.connection;

import io.lettuce.core.RedisException;
import java.util.List;
import java.util.stream.Collectors;

/** Two servers of one master with its replicas say that they are the master: two clients would hold one lock. */
public final class TwoMastersException extends RedisException {

    private static final long serialVersionUID = 1;

    public static final String REMEDY =
            "Make one a replica of the other (REPLICAOF); what only that one has is lost then";

    TwoMastersException(List<Connector> masters) {
        super(masters.stream().map(Connector::toString).collect(Collectors.joining(" and "))
                + " say both that they are the master, so that two clients could hold one lock");
    }
}
