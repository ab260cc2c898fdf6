package dev.leasehold.zookeeper;

/**
 * An own node is that of a claim, as the answer to its creation or a search has shown it.
 *
 * @param czxid the transaction that created it
 * @param followed whether it was known without a listing to be the first ({@link ImmediateSuccessor})
 */
record OwnNode(NodeName name, long czxid, boolean followed) {

    String child() {
        return name.name();
    }
}
