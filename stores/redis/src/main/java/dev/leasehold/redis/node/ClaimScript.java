package dev.leasehold.redis.node;

import dev.leasehold.internal.WholeMillis;
import dev.leasehold.redis.script.EncodedArgs;
import dev.leasehold.redis.script.HolderTerms;
import dev.leasehold.redis.script.LockKeys;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.redis.script.Script;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A claim script encodes a claim as the arguments of the script of one server, and decodes the script's answer. */
final class ClaimScript {

    private final LockKeys.Cache keys;
    private final Inbox inbox;
    private final boolean counted;
    private final EncodedArgs owner;
    private final String ownerText;

    /**
     * Makes one.
     *
     * @param counted whether the number of receivers that this server counts is all there are; not so in a cluster
     */
    ClaimScript(StoreContext context, LockKeys.Cache keys, Inbox inbox, boolean counted) {
        this.keys = keys;
        this.inbox = inbox;
        this.counted = counted;
        ownerText = context.owner().replace('\n', ' ');
        owner = EncodedArgs.of(ownerText);
    }

    CompletionStage<ClaimAnswer> run(ScriptRunner scripts, Claim claim, boolean enqueue) {
        Duration lease = claim.lease();
        return scripts.run(
                "the claim of '" + claim.lock() + "'",
                claim.isShared() ? Script.SHARED_CLAIM : Script.CLAIM,
                (args, sentAt) -> {
                    LockKeys lock = keys.of(claim.lock());
                    return args.add(lock.all())
                            .add(Reply.beginning(claim.id()))
                            .add(owner)
                            .add(WholeMillis.up(lease))
                            .add(HolderTerms.ofClaim(claim))
                            .add(how(claim, enqueue, lock.wasHeld(), sentAt) + lock.toTellText())
                            .add(terms(claim, sentAt));
                },
                (sentAt, answer) -> claimAnswer(claim, sentAt, answer));
    }

    /**
     * Once a second the server is to call the inbox: so its connection and that for commands are known to lead to the same server. Only a
     * busy answer says so. Not in a cluster, where the inbox may be at any node.
     */
    private String how(Claim claim, boolean enqueue, boolean wasHeld, ClockReading sentAt) {
        String calls = counted && inbox.wantsCall(sentAt.nanos()) ? "1|" : "0|";
        return (enqueue ? wasHeld ? "2|" : "1|" : "0|") + calls + claim.place() + '|';
    }

    /** Returns the claim's entry in the queue. Its stamp is read before it is sent, as {@link ClockStamp} demands. */
    private String terms(Claim claim, ClockReading sentAt) {
        String aliveFor = Long.toString(WholeMillis.up(WaitingRules.aliveFor(claim.lease())));
        return new StringBuilder(256)
                .append("00000", aliveFor.length(), 5)
                .append(aliveFor)
                .append('|')
                .append(ClockStamp.of(sentAt))
                .append('|')
                .append(claim.id().client())
                .append(':')
                .append(claim.id().counter())
                .append('|')
                .append(WholeMillis.up(WaitingRules.claimPeriod(claim.lease())))
                .append('|')
                .append(HolderTerms.ofClaim(claim))
                .append('|')
                .append(inbox.channel())
                .append('|')
                .append(ownerText)
                .toString();
    }

    private ClaimAnswer claimAnswer(Claim claim, ClockReading sentAt, List<Object> answer) {
        String text = Reply.onlyText(answer);
        boolean busy = text.startsWith(Reply.BUSY);
        keys.of(claim.lock()).seen(busy);
        if (!busy) {
            return Reply.granted(claim, sentAt, text);
        }
        String[] parts = text.split("\\|", Reply.BUSY_PARTS);
        long now = Long.parseLong(parts[3]);
        if (!parts[4].isEmpty()) {
            inbox.called(parts[4].equals("1"), sentAt.nanos());
        }
        Duration left = Reply.timeLeft(parts[2]);
        return new ClaimAnswer.Busy(Reply.holder(parts[5], left, now), left, Integer.parseInt(parts[1]));
    }
}
