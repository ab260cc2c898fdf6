/**
 * This package keeps locks in a SQL database: in PostgreSQL, MariaDB, MySQL or H2 ({@link
 * dev.leasehold.jdbc.JdbcStore}), or in one SQLite file, shared by the processes of one machine ({@code sqlite:PATH}).
 * It also has the resource's side, {@link dev.leasehold.jdbc.JdbcFence}.
 *
 * <h2>The embedded store</h2>
 *
 * <p>The file is made at the first operation, readable by its owner only, as are the directories that are missing. It is the
 * store's alone: another application's database is refused and not changed. SQLite's driver, {@code
 * org.xerial:sqlite-jdbc}, has to be on the class path. Each client has one connection and one daemon thread, which sleeps
 * unless the client holds or waits.
 *
 * <p><b>What it guarantees.</b>
 *
 * <ul>
 *   <li>Exclusion, and fencing tokens that increase, between all processes of one machine that name the same file.
 *   <li>A process may be killed at any moment: nothing that was answered is lost, and no lock stays taken beyond its lease.
 *   <li>On Linux, leases end by the kernel's monotonic clock: setting the wall clock changes nothing. After a reboot a lease
 *       that was held before it ends one full lease after it was first seen.
 *   <li>A waiting process finds that it has been given the lock within a fiftieth of the time that it has waited, at least
 *       1 ms and at most 20 ms; a waiter in the same JVM at once.
 * </ul>
 *
 * <p><b>What it does not.</b>
 *
 * <ul>
 *   <li>File systems that other machines may use too (NFS, SMB, most of FUSE) are refused where they can be recognised.
 *       SQLite's locks do not hold there.
 *   <li>Elsewhere than on Linux, leases end by the wall clock: setting it forward by more than what is left of a lease ends
 *       the lease in the store while its holder still relies on it (the tokens still order the two); setting it back makes
 *       leases last longer by as much.
 *   <li>Deleting the file, or putting another in its place, takes all locks away. Holders learn of it within about a
 *       second, and until then two may believe to hold one lock; the tokens still order them, as they follow the wall
 *       clock.
 *   <li>A process that is stopped in the middle of a transaction (some 50 µs long) keeps all others waiting until it goes on
 *       or is killed; they fail with a {@link dev.leasehold.StoreUnavailableException} after their {@code storeTimeout}.
 *   <li>A power failure may lose the last transactions. All leases of the machine end with it, and later tokens are greater
 *       unless the wall clock has come back behind the greatest token.
 *   <li>Two copies of SQLite in one process (two class loaders, or another library that opens the file) break SQLite's file
 *       locks. Nothing but Leasehold should open the file of a running store; {@code sqlite3} from a shell is fine.
 * </ul>
 */
@NullMarked
package dev.leasehold.jdbc;

import org.jspecify.annotations.NullMarked;
