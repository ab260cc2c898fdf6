package dev.leasehold.battery;

import static dev.leasehold.battery.Promise.EXCLUDED;
import static dev.leasehold.battery.Promise.FENCED;
import static dev.leasehold.battery.ReadmeCell.of;
import static dev.leasehold.battery.ReadmeColumn.REDIS;
import static dev.leasehold.battery.ReadmeColumn.REDLOCK;
import static dev.leasehold.battery.ReadmeColumn.SQL;
import static dev.leasehold.battery.ReadmeColumn.SQLITE;
import static dev.leasehold.battery.ReadmeColumn.ZOOKEEPER;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A README row is a fault as a newcomer would name it, with the battery's faults that are it. */
enum ReadmeRow {
    /** A paused holder that does not look at its lease: the lock sets, in which only tokens help. */
    PAUSED(
            new Words("holder paused past its lease, then goes on", "持有者暂停到租约过期，之后又恢复运行"),
            Set.of(),
            List.of(of(SQLITE), of(SQL), of(REDIS), of(REDLOCK), of(ZOOKEEPER))),
    CLIENT_CLOCK(
            new Words("client's wall clock jumps", "客户端的系统时钟跳变"),
            Set.of(Fault.SUSPEND), // Its wall clock gets ahead of the other one, and never behind.
            List.of(
                    clock(SQLITE),
                    clock(SQL),
                    clock(REDIS),
                    of(REDLOCK).tests("HoldTest", "SimulatorTest", "QuorumSimulationTest"),
                    of(ZOOKEEPER)
                            .tests(
                                    "HoldTest",
                                    "SimulatorTest",
                                    "SessionHeartbeatTest.holder_afterClockWasSet_isConfirmedSoon"))),
    STORE_CLOCK(
            new Words("store's clock jumps", "存储的时钟跳变"),
            Set.of(Fault.CLOCK_FORWARD, Fault.CLOCK_BACK),
            List.of(
                    of(SQLITE)
                            .saying(EXCLUDED, "%s (Linux)", "%s（Linux）")
                            .tests("SqliteStoreTest.aWallClockThatIsSetChangesNoLeaseAndNoQueue"),
                    of(SQL),
                    of(REDIS),
                    of(REDLOCK)
                            .saying(
                                    FENCED,
                                    "one master's clock: one holder, if the lease is held on one master more than a majority needs",
                                    "单台主节点的时钟：唯一持有者，前提是持有该租约的主节点比多数派至少多一台")
                            .leavingOpen("runs do not tell on how many masters a lease was held"),
                    of(ZOOKEEPER).saying(EXCLUDED, "one server's clock: %s", "单台服务器的时钟：%s"))),
    KILLED(
            new Words("holder or waiter killed (`kill -9`)", "持有者或等待者被杀（`kill -9`）"),
            Set.of(Fault.KILL),
            List.of(of(SQLITE), of(SQL), of(REDIS), of(REDLOCK), of(ZOOKEEPER))),
    CUT_OFF(
            new Words("holder cut off from the store", "持有者与存储断开"),
            Set.of(Fault.CUT, Fault.BLACK_HOLE),
            List.of(of(SQL), of(REDIS), of(REDLOCK), of(ZOOKEEPER))),
    RESTARTED(
            new Words("store restarts with its data", "存储重启，数据还在"),
            Set.of(Fault.RESTART, Fault.RESTART_ALL),
            List.of(of(SQLITE).tests("SqliteRebootTest"), of(SQL), of(REDIS), of(REDLOCK), of(ZOOKEEPER))),
    FORGOTTEN(
            new Words("store restarts without its data, or is flushed", "存储重启后数据丢失，或被清空"),
            Set.of(Fault.AMNESIA, Fault.FLUSH),
            List.of(
                    of(SQLITE).tests("SqliteProcessesTest.aHolderIsToldThatTheFileWasDeleted"),
                    of(SQL),
                    of(REDIS),
                    of(REDLOCK)
                            .saying(EXCLUDED, "%s; that node has no vote for a while", "%s；该节点暂时没有投票权")
                            .tests("RedlockRestartTest.mastersThatForgotGrantNothingForTheLongestLease"),
                    of(ZOOKEEPER))),
    FAILED_OVER(
            new Words("fail-over to a replica, which may lag", "故障转移到副本，副本可能落后"),
            Set.of(Fault.FAIL_OVER),
            List.of(
                    of(SQL),
                    of(REDIS) // The battery's replica has usually not lagged, those of the tests have.
                            .saying(FENCED, "%s; one holder with `waitForReplicas`", "%s；启用 `waitForReplicas` 时为唯一持有者")
                            .tests(
                                    "ReplicasTest.aPromotedReplicaForgetsTheLockAndTokensIncrease",
                                    "ReplicasTest.aLaggingReplicaForgetsNothingThatWasGranted"))),
    MINORITY_LOST(
            new Words("fewer than half of the nodes lost", "不到一半的节点失效"),
            Set.of(Fault.MINORITY_LOST, Fault.LEADER_KILL),
            List.of(
                    of(REDLOCK)
                            .saying(EXCLUDED, "%s, goes on", "%s，照常工作")
                            .tests("RedlockFaultsTest.aQuorumOfFiveWorksWithoutTwo"),
                    of(ZOOKEEPER)
                            .saying(EXCLUDED, "%s, goes on", "%s，照常工作")
                            .tests(
                                    "EnsembleFaultsTest.theLeaderIsKilledUnderLoadAndServiceResumes",
                                    "EnsembleFaultsTest.aHolderOfAKilledServerKeepsItsLock"))),
    MAJORITY_LOST(
            new Words("more than half lost", "超过一半的节点失效"),
            Set.of(Fault.MAJORITY_LOST),
            List.of(
                    of(REDLOCK)
                            .saying(EXCLUDED, "nobody gets a lock", "无人得到锁")
                            .tests("RedlockFaultsTest.aQuorumOfFiveWithoutThreeNamesEachNodesAnswer"),
                    of(ZOOKEEPER)
                            .saying(EXCLUDED, "nobody gets a lock", "无人得到锁")
                            .tests("EnsembleFaultsTest.withoutAMajorityNobodyGetsTheLock")));

    private final Words title;
    private final Set<Fault> faults;
    private final List<ReadmeCell> cells;

    ReadmeRow(Words title, Set<Fault> faults, List<ReadmeCell> cells) {
        this.title = title;
        this.faults = faults;
        this.cells = cells;
    }

    private static ReadmeCell clock(ReadmeColumn column) {
        return of(column).tests("HoldTest", "SimulatorTest");
    }

    Words title() {
        return title;
    }

    Set<Fault> faults() {
        return faults;
    }

    /** Finds the cell of a column; stores that cannot have the fault have none. */
    Optional<ReadmeCell> cell(ReadmeColumn column) {
        return cells.stream().filter(cell -> cell.column() == column).findFirst();
    }

    /** Returns what the judge goes by: the weakest promise of these stores under these faults. */
    Promise promise(ReadmeColumn column) {
        return switch (this) {
            case PAUSED -> FENCED;
            default -> weakest(column, faults);
        };
    }

    private static Promise weakest(ReadmeColumn column, Set<Fault> faults) {
        return column.stores().stream()
                .flatMap(store -> faults.stream().map(fault -> Promises.of(Peer.LEASEHOLD, store, fault)))
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }
}
