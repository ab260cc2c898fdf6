package dev.leasehold.battery;

import dev.leasehold.testkit.HoldRecord;
import dev.leasehold.testkit.HoldRecord.End;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A call is one request for a lock and what became of it, put together from its events.
 *
 * @param asked the request
 * @param granted the grant, or null
 * @param renewals later ends that the lease has stated, in order
 * @param risks when the lease was at risk
 * @param lost when the listener heard of the loss, or null
 * @param released the end of the hold, or null
 * @param withdrawn the end of a call without a hold, or null
 */
record Call(
        Event.Asked asked,
        Event.Granted granted,
        List<Event.Renewed> renewals,
        List<Event.AtRisk> risks,
        Event.Lost lost,
        Event.Released released,
        Event.Withdrawn withdrawn) {

    private record Id(String worker, long number) {}

    /** Puts the events of a history together; those of a call whose request is missing are left out. */
    static List<Call> of(List<Event> history) {
        Map<Id, List<Event.OfCall>> byCall = new LinkedHashMap<>();
        for (Event event : history) {
            if (event instanceof Event.OfCall ofCall) {
                byCall.computeIfAbsent(new Id(event.worker(), ofCall.call()), id -> new ArrayList<>())
                        .add(ofCall);
            }
        }
        return byCall.values().stream()
                .filter(events -> first(events, Event.Asked.class) != null)
                .map(Call::fold)
                .toList();
    }

    private static Call fold(List<Event.OfCall> events) {
        return new Call(
                first(events, Event.Asked.class),
                first(events, Event.Granted.class),
                all(events, Event.Renewed.class),
                all(events, Event.AtRisk.class),
                first(events, Event.Lost.class),
                first(events, Event.Released.class),
                first(events, Event.Withdrawn.class));
    }

    private static <E> E first(List<Event.OfCall> events, Class<E> type) {
        return all(events, type).stream().findFirst().orElse(null);
    }

    private static <E> List<E> all(List<Event.OfCall> events, Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    String worker() {
        return asked.worker();
    }

    /** Returns the process, to which several workers may belong. */
    String client() {
        return worker().substring(0, worker().indexOf('/'));
    }

    boolean isHold() {
        return granted != null;
    }

    /** Returns when the wait ended; {@link HoldRecord#NEVER} if the history ends before it. */
    long waitedUntil() {
        if (granted != null) {
            return granted.at();
        }
        return withdrawn != null ? withdrawn.at() : HoldRecord.NEVER;
    }

    /** Returns when the caller had nothing more of it; {@link HoldRecord#NEVER} if the history ends before. */
    long endedAt() {
        if (released != null) {
            return released.at();
        }
        return withdrawn != null ? withdrawn.at() : HoldRecord.NEVER;
    }

    /** Returns the latest end that the lease has ever stated. */
    long validUntil() {
        long latest = granted.validUntil();
        for (Event.Renewed renewed : renewals) {
            latest = Math.max(latest, renewed.validUntil());
        }
        return released == null ? latest : Math.max(latest, released.validUntil());
    }

    /**
     * Returns until when the worker is known to have believed in its hold. A killed process may have believed for
     * longer.
     */
    long believedUntil() {
        if (released != null) {
            return released.believedUntil();
        }
        long latest = granted.at();
        for (Event.Renewed renewed : renewals) {
            latest = Math.max(latest, renewed.at());
        }
        return latest;
    }

    /** Returns the call as the history checker of the testkit takes it. */
    HoldRecord toRecord() {
        if (!isHold()) {
            return HoldRecord.givenUp(client(), asked.lock(), asked.at(), waitedUntil());
        }
        End end = End.CRASHED;
        if (released != null) {
            end = released.kept() ? End.RELEASED : End.LOST;
        }
        return new HoldRecord(
                client(),
                asked.lock(),
                granted.token(),
                asked.at(),
                granted.at(),
                believedUntil(),
                validUntil(),
                end,
                asked.share(),
                granted.slot());
    }
}
