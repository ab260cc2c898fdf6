package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClockReading;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Creating is the step that makes the node of a claim. A creation without an answer is looked for by the claim's id, in
 * a listing that comes after everything that had been under way. A claim that leaves meanwhile still finds out what
 * became of its node.
 */
final class Creating implements ClaimStep {

    private enum Node {
        NONE,
        CREATING,
        UNSURE,
        THERE
    }

    private static final int MOST_TRIES = 20;

    private final ClaimState claim;
    private final ClientLocks locks;
    private final String parent;
    private Node node = Node.NONE;

    /** Why the lock's node, under which the claim's is made, cannot be made either. */
    private @Nullable LockException unmade;

    Creating(ClaimState claim) {
        this.claim = claim;
        this.locks = claim.locks;
        this.parent = claim.parent;
    }

    @Override
    public boolean isBound() {
        return node != Node.NONE;
    }

    @Override
    public void drive(Session in) {
        if (node == Node.NONE) {
            create(in);
        } else if (node == Node.UNSURE) {
            find(in);
        }
    }

    private void create(Session in) {
        claim.requests.begin();
        node = Node.CREATING;
        ClockReading sentAt = claim.time.now();
        boolean isPermit = Claim.hasSlots(claim.claim().share());
        boolean lists = isPermit || !locks.successor().isLikely(in, parent);
        claim.own.create(in, claim.claim(), (code, path, stat) -> created(in, code, path, stat, sentAt, lists));
        if (lists) {
            Listing.of(locks.executor(), in, parent, isPermit, listing -> listed(in, listing));
        }
    }

    private void created(Session in, Code code, String path, Stat stat, ClockReading sentAt, boolean lists) {
        if (!claim.isAt(this, in) || node != Node.CREATING) {
            return;
        }
        switch (code) {
            case OK -> {
                in.written(sentAt, stat.getCtime());
                NodeName name = NodeName.parse(path.substring(parent.length() + 1));
                boolean followed = locks.successor().follows(in, parent, name, stat.getCzxid());
                adopt(name, stat, followed);
            }
            case NONODE -> MissingPath.make(locks.session(), in, parent, why -> unmade = why);
            case INVALIDACL -> locks.session().openAccess();
            default -> {
                if (Codes.isUnknown(code) || code == Code.SESSIONEXPIRED) {
                    node = Node.UNSURE;
                } else if (!Codes.isPassing(code)) {
                    node = Node.NONE;
                    claim.refuse(claim.refused(code, "the claim"));
                }
            }
        }
        if (!lists) {
            unlisted(in, code);
        }
    }

    private void adopt(NodeName name, Stat stat, boolean followed) {
        node = Node.THERE;
        claim.adopt(new OwnNode(name, stat.getCzxid(), followed));
    }

    /** Handles the answer to a creation if no listing was sent beside it. */
    private void unlisted(Session in, Code code) {
        if (node != Node.THERE) {
            listed(in, Listing.failed(code));
        } else if (claim.requests.finish(in)) {
            claim.becomeWaiting().seen(in, claim.mine().followed() ? new View.First(false) : new View.Unsaid());
        }
    }

    private void listed(Session in, Listing listing) {
        if (!claim.requests.finish(in)) {
            return;
        }
        switch (node) {
            case NONE -> claim.drive();
            case CREATING -> {
                node = Node.NONE;
                LockException why = unmade;
                if (why != null) {
                    claim.refuse(why);
                } else if (++claim.tries > MOST_TRIES) {
                    claim.refuse(claim.refused(Code.NONODE, "the claim"));
                } else {
                    claim.drive();
                }
            }
            case UNSURE -> claim.failed(in, listing.code(), "the claim");
            case THERE -> claim.becomeWaiting().listed(in, listing);
        }
    }

    private void find(Session in) {
        claim.requests.begin();
        Search.of(locks.executor(), in, parent, claim.claim(), (code, child, stat) -> {
            if (!claim.requests.finish(in)) {
                return;
            }
            if (code != Code.OK) {
                claim.failed(in, code, "the claim");
            } else if (child == null || stat == null) {
                claim.nodeGone();
            } else {
                adopt(NodeName.parse(child), stat, false);
                claim.becomeWaiting();
                claim.drive();
            }
        });
    }
}
