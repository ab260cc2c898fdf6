------------------------------- MODULE Quorum -------------------------------
(***************************************************************************)
(* One lock on a quorum of independent masters: claim, re-proposal, grant, *)
(* renewal, top-up, release, the gate, and nodes that lose their memory;   *)
(* for one holder, and for readers beside each other. README.md beside     *)
(* this directory says what is left out, and why that is sound.            *)
(*                                                                         *)
(* Three choices keep the model small without making it kinder than the    *)
(* world:                                                                  *)
(*  - A request is sent once, to all nodes, and never leaves `sent`: each  *)
(*    node may receive it never, late, and any number of times.            *)
(*  - Only a yes is an answer. What the others would tell a client (busy,  *)
(*    stale, no vote) only helps it to choose its next step, and here it   *)
(*    may take any step at any time.                                       *)
(*  - There are no clients, only claims. A client never uses a claim id    *)
(*    twice, so its next attempt is as good as another client's.           *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Nodes, Claims,
    Readers,        \* the claims that share the lock with each other; all others exclude everybody
    MaxLease,       \* maxLeaseDuration, in ticks
    Durations,      \* what a claim or a renewal may ask for
    Spares,         \* tokens a claim may reserve beyond its own, for local hand-overs
    MaxToken,       \* proposals are 1..MaxToken
    MaxTime,        \* the clock stops here
    MaxCrashes,     \* how often nodes lose memory, all together
    MaxSends,       \* claim requests per claim
    MaxKeeps,       \* renewals per claim
    Gates,          \* nodes that may serve as gate
    Snapshots,      \* a node that forgets may come back with data older than what it knew, instead of none
    TopUpForgetful, \* a node that has forgotten may be topped up
    Broken          \* the rules that are dropped: none, or one

Rules == {"no marker", "marker too young", "run id from client", "accept below last", "lower",
          "shorten", "same claim id", "gate votes", "deadline from receipt", "no bound on proposals",
          "forget last", "old record counts", "last without run", "count any proposal", "largest deadline",
          "half is enough", "lease comes back", "top up below last", "marker without data id",
          "lease takes back",
          "reader beside writer", "writer beside readers", "raise below last", "gate mixes", "release frees all",
          "ends with the newest", "renewal without share", "takes back all", "left without trace",
          "top up below exclusive", "top up leaves last"}

ASSUME /\ Durations \subseteq 1..MaxLease
       /\ MaxLease % 2 = 0
       /\ Gates \subseteq Nodes
       /\ Readers \subseteq Claims
       /\ Broken \subseteq Rules

VARIABLES now, node, claim, sent, answers, crashes, inOrder

vars == <<now, node, claim, sent, answers, crashes, inOrder>>

Half     == MaxLease \div 2
Majority == IF "half is enough" \in Broken THEN Cardinality(Nodes) \div 2 ELSE Cardinality(Nodes) \div 2 + 1
NoRecord == -1
LongAgo  == 0 - MaxLease
Max(a, b) == IF a > b THEN a ELSE b
Greatest(numbers) == IF numbers = {} THEN NoRecord ELSE CHOOSE a \in numbers: \A b \in numbers: b <= a
Symmetry == Permutations(Nodes) \union Permutations(Readers) \union Permutations(Claims \ Readers)

-----------------------------------------------------------------------------
(* Nodes *)

IsFree(k) == k.holders = {}
Standing(k, c) == {h \in k.holders: h.claim = c}
Others(k, c) == k.holders \ Standing(k, c)
Ends(holders) == {h.endOfRun: h \in holders}

\* Readers stand beside readers, and nobody beside a writer.
Fits(k, c) ==
    \/ IsFree(k)
    \/ IF c \in Readers THEN "reader beside writer" \in Broken \/ \A h \in k.holders: h.shared
                        ELSE "writer beside readers" \in Broken /\ \A h \in k.holders: h.shared

Unlocked(k) == [k EXCEPT !.holders = {}, !.before = NoRecord, !.exclusiveBefore = NoRecord, !.yesBefore = 0]

\* Holders are over, or lose the node, whatever they were: a lease, or an attempt of which the node knows no more. `before` is
\* what `last` would be without those that stand there.
Without(k, gone) ==
    LET rest == k.holders \ gone
        end == IF "left without trace" \in Broken THEN NoRecord ELSE Greatest(Ends(gone))
    IN IF gone = {} THEN k
       ELSE IF rest = {} THEN Unlocked(k)
       ELSE [k EXCEPT !.holders = rest, !.before = Max(@, end), !.yesBefore = Max(@, Greatest(Ends(gone)))]

\* An attempt has failed: without what it alone has raised.
TakenBack(k, c) ==
    LET rest == Others(k, c)
        end == IF "takes back all" \in Broken THEN NoRecord ELSE Greatest(Ends(rest))
        less == [k EXCEPT !.last = Max(k.before, end), !.yes = Max(k.yesBefore, Greatest(Ends(rest)))]
    IN IF rest = {} THEN Unlocked([less EXCEPT !.exclusive = k.exclusiveBefore]) ELSE [less EXCEPT !.holders = rest]

ClientsNameRuns == "run id from client" \in Broken

\* The age that a marker must have. Exact here; the product adds 1 % and 2 s for clocks that run unevenly.
VotingAge == IF "marker too young" \in Broken THEN MaxLease - 1 ELSE MaxLease

OldEnough(k) == now - k.since >= VotingAge

\* The script compares the marker with the run id that it reads itself.
Votes(k, runId) ==
    CASE "no marker" \in Broken -> TRUE
      [] OTHER -> k.markerRun = runId /\ OldEnough(k)

\* What a proposal must exceed.
Last(k) ==
    LET known == IF k.last # NoRecord THEN k.last
                 ELSE IF "forget last" \in Broken THEN 0
                 ELSE now - Half
        forgotten == \* what it may have said yes to before its marker began
                     IF "old record counts" \in Broken \/ "forget last" \in Broken THEN 0 ELSE k.since + Half
    IN Max(0, Max(known, forgotten))

InBound(m) == "no bound on proposals" \in Broken \/ m.endOfRun <= now + Half

\* What a reader's top-up must exceed: the end of the run of the last writer.
LastExclusive(k) ==
    LET known == IF k.exclusive # NoRecord THEN k.exclusive ELSE now - Half
    IN Max(0, Max(known, k.since + Half))

\* A claim stands here, beside those that it fits to, with an end of its own.
Stand(k, c, token, endOfRun, until, last, shared) ==
    LET own == [claim |-> c, token |-> token, endOfRun |-> endOfRun, until |-> until, shared |-> shared]
        others == IF "ends with the newest" \in Broken THEN {[h EXCEPT !.until = until]: h \in Others(k, c)} ELSE Others(k, c)
    IN [k EXCEPT !.holders = others \union {own}, !.last = last, !.exclusive = IF shared THEN @ ELSE last,
                 !.before = IF IsFree(k) THEN k.last ELSE @, !.exclusiveBefore = IF IsFree(k) THEN k.exclusive ELSE @,
                 !.yesBefore = IF IsFree(k) THEN k.yes ELSE @]

HoldAs(k, m, until, last, shared) ==
    [Stand(k, m.claim, m.token, m.endOfRun, until, last, shared) EXCEPT !.yes = Max(@, m.endOfRun)]

Hold(k, m, until, last) == HoldAs(k, m, until, last, m.claim \in Readers)

NewLast(k, m) == Max(Last(k), IF "last without run" \in Broken THEN m.token ELSE m.endOfRun)

Later(h, m) == IF "shorten" \in Broken THEN now + m.duration ELSE Max(h.until, now + m.duration)

\* Each script: the set of the node's next states, with a yes; empty where the answer is no. Others may have raised `last` since
\* a reader came, so raising its token is as good as coming anew; asking once more with the same is not.
OnClaim(k, m) ==
    IF ~InBound(m) THEN {}
    ELSE IF Standing(k, m.claim) = {} THEN
        IF Fits(k, m.claim) /\ (m.token > Last(k) \/ "accept below last" \in Broken)
        THEN {Hold(k, m, now + m.duration, NewLast(k, m))} ELSE {}
    ELSE UNION {
        IF m.token = h.token THEN {Hold(k, m, Later(h, m), NewLast(k, m))}
        ELSE IF m.token > h.token THEN
            IF m.claim \notin Readers \/ m.token > Last(k) \/ "raise below last" \in Broken
            THEN {Hold(k, m, Later(h, m), NewLast(k, m))} ELSE {}
        ELSE IF "lower" \in Broken THEN {Hold(k, m, Later(h, m), m.endOfRun)}
        ELSE {}: h \in Standing(k, m.claim)}

\* A renewal, and the top-up that a renewing client sends to nodes that do not hold its claim.
OnKeep(k, m) ==
    LET shared == m.claim \in Readers \/ "renewal without share" \in Broken
        end == IF m.claim \in Readers THEN LastExclusive(k) + 1 ELSE Last(k)
        known == IF m.claim \in Readers THEN k.exclusive + 1 ELSE k.last
    IN IF Standing(k, m.claim) # {}
       THEN {HoldAs(k, m, Later(h, m), NewLast(k, m), shared): h \in {h \in Standing(k, m.claim): h.token = m.token}}
       ELSE IF /\ Fits(k, m.claim)
               /\ \/ m.endOfRun >= end
                  \/ TopUpForgetful /\ m.endOfRun >= known
                  \/ "top up below last" \in Broken /\ m.claim \notin Readers
                  \/ "top up below exclusive" \in Broken /\ m.claim \in Readers
       THEN {HoldAs(k, m, now + m.duration, IF "top up leaves last" \in Broken THEN k.last ELSE NewLast(k, m), shared)}
       ELSE {}

\* An answer that its claim no longer waits for is ignored, so it need not be made.
Awaited(c, token) ==
    /\ claim[c].state \in {"claiming", "held"}
    /\ claim[c].token = token \/ "count any proposal" \in Broken

Answer(c, n, token, sentAt, timeLeft) ==
    [claim |-> c, node |-> n, token |-> token,
     deadline |-> IF "deadline from receipt" \in Broken THEN timeLeft ELSE sentAt + timeLeft]

Useful(a, time) == "deadline from receipt" \in Broken \/ a.deadline > time

Receive(n, m) ==
    /\ \E k \in (IF Votes(node[n], IF ClientsNameRuns THEN m.runs[n] ELSE node[n].run)
                 THEN IF m.kind = "claim" THEN OnClaim(node[n], m) ELSE OnKeep(node[n], m)
                 ELSE {}):
        LET until == CHOOSE t \in {h.until: h \in Standing(k, m.claim)}: TRUE
            a == Answer(m.claim, n, m.token, m.sentAt, until - now)
        IN
        /\ node' = [node EXCEPT ![n] = k]
        /\ answers' = IF Awaited(m.claim, m.token) /\ Useful(a, now) THEN answers \union {a} ELSE answers
    /\ UNCHANGED <<now, claim, sent, crashes, inOrder>>

\* A finished claim has sent its release to all nodes; it frees whatever the claim holds there. That of a claim which was never
\* granted takes back what the claim has raised there.
ReceiveRelease(n) ==
    /\ \E h \in node[n].holders:
        LET c == claim[h.claim]
            k == node[n]
            takesBack == c.state = "failed" \/ "lease takes back" \in Broken
            gone == IF "release frees all" \in Broken THEN k.holders ELSE {h}
        IN
        /\ c.state \in {"done", "failed"} \/ c.again
        /\ node' = [node EXCEPT ![n] = IF takesBack THEN TakenBack(k, h.claim) ELSE Without(k, gone)]
    /\ UNCHANGED <<now, claim, sent, answers, crashes, inOrder>>

\* The gate hands the lock to a claim that queues there and fits, under a token of its own. It is no vote, and a node
\* without a vote may do it.
GateGrants(n, c) ==
    LET k == node[n]
        q == Last(k) + 1
    IN
    /\ Fits(k, c) \/ "gate mixes" \in Broken
    /\ Standing(k, c) = {} /\ claim[c].state = "claiming" /\ q <= MaxToken
    /\ node' = [node EXCEPT ![n] = Stand(k, c, q, q, now + 1, q, c \in Readers)]
    /\ answers' = IF "gate votes" \in Broken THEN answers \union {Answer(c, n, claim[c].token, now, 1)} ELSE answers
    /\ UNCHANGED <<now, claim, sent, crashes, inOrder>>

\* A node loses its memory: it restarts without, is flushed, or gets an old copy of its data back, by a restart or
\* from a replica. The marker is renewed by the first script that runs there: at the earliest at once.
\* Assumed: no replication id stands for two runs of a server, and a master's changes whenever its data may come from elsewhere. So
\* the id that the node reads, as a master, shows each loss by which an old marker comes back. "marker without data id" is the
\* world in which it does not.
Crash(n) ==
    /\ crashes < MaxCrashes
    /\ crashes' = crashes + 1
    /\ \E old \in (IF Snapshots THEN {NoRecord, 0} ELSE {NoRecord}):
        LET k == Unlocked(node[n])
            kept == old = 0 /\ (ClientsNameRuns \/ "marker without data id" \in Broken)
        IN node' = [node EXCEPT ![n] =
            [k EXCEPT !.last = old, !.exclusive = old, !.since = IF kept THEN LongAgo ELSE now,
                      !.run = IF ClientsNameRuns THEN k.run + 1 ELSE 0,
                      !.markerRun = IF ClientsNameRuns /\ ~kept THEN k.run + 1 ELSE k.markerRun]]
    /\ UNCHANGED <<now, claim, sent, answers, inOrder>>

-----------------------------------------------------------------------------
(* Clients *)

\* The majority-th largest of the nodes' deadlines.
Deadline(deadlines) ==
    LET times == {deadlines[n]: n \in Nodes}
        reached == {t \in times: Cardinality({n \in Nodes: deadlines[n] >= t})
                                   >= IF "largest deadline" \in Broken THEN 1 ELSE Majority}
    IN CHOOSE t \in reached: \A u \in reached: u <= t

Confirmed(deadlines) == Cardinality({n \in Nodes: deadlines[n] > now})

Believes(c) == claim[c].state = "held" /\ now < Deadline(claim[c].deadlines)

Sends(c, kind) == Cardinality({m \in sent: m.claim = c /\ m.kind = kind})

Request(kind, c, token, endOfRun, duration) ==
    [kind |-> kind, claim |-> c, token |-> token, endOfRun |-> endOfRun, duration |-> duration, sentAt |-> now,
     runs |-> IF ClientsNameRuns THEN [n \in Nodes |-> node[n].run] ELSE <<>>]

\* The answers to these requests no longer count, so nobody asks when they were sent. (Fewer states.)
Outdated(c) == {IF m.claim = c THEN [m EXCEPT !.sentAt = 0] ELSE m: m \in sent}
OthersAnswers(c) == {a \in answers: a.claim # c}
Nothing == [n \in Nodes |-> 0]

Granted == {c \in Claims: claim[c].state \in {"held", "done"}}
Exclude(c, d) == c \notin Readers \/ d \notin Readers

\* The end of the run of the last reader that is over. Who asks from now on gets a greater token.
LastEnded == Max(0, Greatest({claim[c].endOfRun: c \in {r \in Readers: claim[r].state = "done"}}))

\* The first proposal, or one above it, for instance because a node said stale. Also, with the same token, the
\* same request once more.
Propose(c) ==
    /\ claim[c].state \in {"new", "claiming"}
    /\ Sends(c, "claim") < MaxSends
    /\ \E token \in 1..MaxToken, spare \in Spares, duration \in Durations:
        LET endOfRun == IF token = claim[c].token THEN claim[c].endOfRun ELSE token + spare
            fresh == token > claim[c].token
            m == Request("claim", c, token, endOfRun, duration)
        IN
        /\ token >= claim[c].token
        /\ sent' = (IF fresh /\ "count any proposal" \notin Broken THEN Outdated(c) ELSE sent) \union {m}
        /\ sent' # sent
        /\ claim' = [claim EXCEPT ![c].state = "claiming", ![c].token = token, ![c].endOfRun = endOfRun,
                                  ![c].endedBefore = IF claim[c].state = "new" /\ c \in Readers THEN LastEnded ELSE @,
                                  ![c].deadlines = IF fresh /\ "count any proposal" \notin Broken THEN Nothing ELSE @]
        /\ answers' = IF fresh /\ "count any proposal" \notin Broken THEN OthersAnswers(c) ELSE answers
    /\ UNCHANGED <<now, node, crashes, inOrder>>

Count(a) ==
    LET c == claim[a.claim]
        until == IF "deadline from receipt" \in Broken THEN now + a.deadline ELSE a.deadline
        deadlines == [c.deadlines EXCEPT ![a.node] = Max(@, until)]
        wins == c.state = "claiming" /\ Confirmed(deadlines) >= Majority
    IN
    /\ claim' = [claim EXCEPT ![a.claim] = [c EXCEPT !.deadlines = deadlines, !.state = IF wins THEN "held" ELSE @]]
    /\ answers' = answers \ {a}
    /\ inOrder' = (inOrder /\ (wins =>
            /\ \A d \in Granted \ {a.claim}: Exclude(a.claim, d) => c.token > claim[d].endOfRun
            /\ c.token > c.endedBefore))
    /\ UNCHANGED <<now, node, sent, crashes>>

Keep(c) ==
    /\ Believes(c)
    /\ Sends(c, "keep") < MaxKeeps
    /\ \E duration \in Durations:
        sent' = sent \union {Request("keep", c, claim[c].token, claim[c].endOfRun, duration)}
    /\ sent' # sent
    /\ UNCHANGED <<now, node, claim, answers, crashes, inOrder>>

\* A release, or the end of a failed attempt. A client that crashes does none of this, it just does no more.
Finish(c) ==
    /\ claim[c].state \in {"claiming", "held"}
    /\ claim' = [claim EXCEPT ![c].state = IF @ = "held" THEN "done" ELSE "failed", ![c].deadlines = Nothing]
    /\ sent' = Outdated(c)
    /\ answers' = OthersAnswers(c)
    /\ UNCHANGED <<now, node, crashes, inOrder>>

TryAgainUnderTheSameId(c) ==
    /\ "same claim id" \in Broken
    /\ claim[c].state = "claiming" /\ ~claim[c].again
    /\ claim' = [claim EXCEPT ![c].state = "new", ![c].deadlines = Nothing, ![c].again = TRUE]
    /\ sent' = Outdated(c)
    /\ answers' = OthersAnswers(c)
    /\ UNCHANGED <<now, node, crashes, inOrder>>

-----------------------------------------------------------------------------
(* Time. What is over is cleared at once, so that it makes no further states. *)

Tick ==
    LET time == now + 1
        left(c) == [n \in Nodes |-> IF claim[c].deadlines[n] > time THEN claim[c].deadlines[n] ELSE 0]
        lost(c) == claim[c].state = "held" /\ Deadline(left(c)) = 0 /\ "lease comes back" \notin Broken
    IN
    /\ now < MaxTime
    /\ now' = time
    /\ node' = [n \in Nodes |-> Without(node[n], {h \in node[n].holders: h.until <= time})]
    /\ claim' = [c \in Claims |-> IF lost(c) THEN [claim[c] EXCEPT !.state = "done", !.deadlines = Nothing]
                                             ELSE [claim[c] EXCEPT !.deadlines = left(c)]]
    /\ sent' = {IF lost(m.claim) THEN [m EXCEPT !.sentAt = 0] ELSE m: m \in sent}
    /\ answers' = {a \in answers: Useful(a, time) /\ ~lost(a.claim)}
    /\ UNCHANGED <<crashes, inOrder>>

-----------------------------------------------------------------------------

Init ==
    /\ now = 0
    /\ node = [n \in Nodes |-> [holders |-> {}, last |-> 0, exclusive |-> 0,
                                run |-> 0, markerRun |-> 0, since |-> LongAgo, yes |-> 0,
                                before |-> NoRecord, exclusiveBefore |-> NoRecord, yesBefore |-> 0]]
    /\ claim = [c \in Claims |-> [state |-> "new", token |-> 0, endOfRun |-> 0, deadlines |-> Nothing, again |-> FALSE,
                                  endedBefore |-> 0]]
    /\ sent = {}
    /\ answers = {}
    /\ crashes = 0
    /\ inOrder = TRUE

Next ==
    \/ Tick
    \/ \E n \in Nodes: \/ \E m \in sent: Receive(n, m)
                       \/ ReceiveRelease(n)
                       \/ Crash(n)
    \/ \E n \in Gates, c \in Claims: GateGrants(n, c)
    \/ \E c \in Claims: Propose(c) \/ Keep(c) \/ Finish(c) \/ TryAgainUnderTheSameId(c)
    \/ \E a \in answers: Count(a)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold *)

Exclusion == \A c, d \in Claims: c # d /\ Exclude(c, d) => ~(Believes(c) /\ Believes(d))

\* Every grant's token is above the end of the run of every earlier grant that it excludes or that excludes it, and of every
\* reader that was over before it was asked for.
TokenOrder == inOrder

\* No token is in two runs.
TokensDiffer ==
    \A c, d \in Granted: c # d => claim[c].endOfRun < claim[d].token \/ claim[d].endOfRun < claim[c].token

\* Nobody believes to hold a lease when a later one that it excludes or that excludes it has been granted, even if that has
\* ended.
OnlyLatest == \A c \in Claims, d \in Granted: Believes(c) /\ Exclude(c, d) => claim[d].endOfRun <= claim[c].endOfRun

\* Whatever a node has said yes to, and was not taken back, it remembers whenever it votes: as `last`, or as the floor below it.
YesMeansLast == \A n \in Nodes: Votes(node[n], node[n].run) => Last(node[n]) >= node[n].yes

\* What a holder counts on stands on the node, or has been forgotten by a node that has no vote yet.
NeverShortened ==
    \A c \in Claims, n \in Nodes:
        claim[c].state = "held" /\ claim[c].deadlines[n] > now /\ Votes(node[n], node[n].run)
            => \E h \in Standing(node[n], c): h.until >= claim[c].deadlines[n]
=============================================================================
