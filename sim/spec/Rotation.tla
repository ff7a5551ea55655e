------------------------------ MODULE Rotation ------------------------------
(* A rotation of one keyring from version 1 to version 2, with everything that acts on it: processes  *)
(* that join, seal and write later; drivers that read or decide and act later; a store with a fence;  *)
(* operators who start, abort and remove.                                                             *)
(*                                                                                                    *)
(* What is one step here is one step there: a compare-and-set of the keystore, a record write, a      *)
(* fence call, a heartbeat, a read. Between two steps of one process anything may happen, for as      *)
(* long as it likes. With the true laws this is the system that the explorer runs on the real         *)
(* classes: a test compares the number of states of the two.                                          *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Records, Fields,  \* each field of a record may be under a version of its own
  Writers,          \* processes that seal
  Late,             \* those of them that begin outside, without version 2
  Workers,          \* processes that drive
  GivenUp,          \* drivers of the rotation before, whose closing fence call is still under way
  Orders,           \* what operators will order, once each: "start", "abort"
  Suspend           \* TRUE: the clock of a process that sleeps stands still

CONSTANTS           \* the laws; the first value of each is the true one
  FenceRule,        \* "set" | "bound": nothing below | "none"
  FenceEpoch,       \* TRUE: a store refuses the fence of a lower epoch
  FenceWhen,        \* "before sweep" | "after census"
  GateOrder,        \* "stage first" | "list first"
  JoinOrder,        \* "beat first" | "read first"
  Counts,           \* what a census goes by: "carrying" | "belonging"
  Sweeps            \* what a sweep finds: "carrying" | "belonging"

ASSUME Late \subseteq Writers /\ GivenUp \subseteq Workers /\ Orders \subseteq {"start", "abort"}

Versions == {1, 2}

VARIABLES ks, rec, fence, writer, worker, orders
vars == <<ks, rec, fence, writer, worker, orders>>

(* ------------------------------------------------------------------------------- the keystore *)

Running == {"staged", "opening", "rewrapping", "settling", "fencing", "sweeping", "proving"}

Needed(k) == {v \in Versions : k.state[v] \in {"staged", "active", "decrypt only"}}

Flipped(k, to, other, turned) ==
  [k EXCEPT !.epoch = @ + 1, !.active = to, !.writable = {to, other}, !.phase = "settling",
            !.from = other, !.to = to, !.turned = turned,
            !.state = [@ EXCEPT ![other] = "decrypt only", ![to] = "active"]]

Ended(k) ==
  [k EXCEPT !.phase = IF k.turned THEN "aborted" ELSE "completed",
            !.state = IF k.turned THEN [@ EXCEPT ![k.from] = "announced"] ELSE @]

Settled(k) ==
  [k EXCEPT !.writable = {k.to},
            !.phase = IF FenceWhen = "before sweep" THEN "fencing" ELSE "sweeping"]

\* What becomes of the keystore when a driver says what it found; late words change nothing.
Told(k, says, epoch) ==
  IF epoch # k.epoch THEN k
  ELSE CASE k.phase = "staged" /\ says = "gate passed" ->
              [k EXCEPT !.phase = "opening", !.writable = {k.from, k.to}]
         [] k.phase = "staged" /\ says = "unstaged" ->
              [k EXCEPT !.phase = "idle", !.state[k.to] = "announced"]
         [] k.phase = "opening" /\ says = "opened" -> [k EXCEPT !.phase = "rewrapping"]
         [] k.phase = "rewrapping" /\ says = "pass ended" -> Flipped(k, k.to, k.from, FALSE)
         [] k.phase = "settling" /\ says = "settled" -> Settled(k)
         [] k.phase = "fencing" /\ says = "fenced" ->
              IF FenceWhen = "before sweep" THEN [k EXCEPT !.phase = "sweeping"] ELSE Ended(k)
         [] k.phase = "sweeping" /\ says = "sweep ended" -> [k EXCEPT !.phase = "proving"]
         [] k.phase = "proving" /\ says = "straggled" -> [k EXCEPT !.phase = "sweeping"]
         [] k.phase = "proving" /\ says = "proved" ->
              IF FenceWhen = "before sweep" THEN Ended(k) ELSE [k EXCEPT !.phase = "fencing"]
         [] OTHER -> k

(* -------------------------------------------------------------------------------- the records *)

Carried(fields) == {fields[f] : f \in Fields}
Lowest(fields) == IF 1 \in Carried(fields) THEN 1 ELSE 2

\* Whether the store lets a record change so.
Allows(before, after) ==
  CASE FenceRule = "none" -> TRUE
    [] FenceRule = "bound" -> \A v \in Carried(after) : v \in Carried(before)
                                                        \/ \E low \in fence.set : v >= low
    [] FenceRule = "set" -> /\ Carried(after) \subseteq fence.set \cup Carried(before)
                            /\ Lowest(after) = Lowest(before) \/ Lowest(after) \in fence.set

\* Whoever read the record before it was written has lost its compare-and-set.
Stale(r) ==
  [d \in Workers |->
    {IF i.do = "rewrap" THEN IF i.r = r THEN [i EXCEPT !.fresh = FALSE] ELSE i ELSE i
      : i \in worker[d]}]

\* Who needs version v, as far as a census or a sweep can tell.
Needs(way, r, v) == IF way = "carrying" THEN v \in Carried(rec[r]) ELSE v = Lowest(rec[r])
Counted(v) == \E r \in Records : Needs(Counts, r, v)

(* -------------------------------------------------------------------------------- the writers *)
(* right: "admitted" by its last round trip; "lease": silent past fresh, the lease goes on; "none";  *)
(* "unaware": the lease is over, but its clock stood still. shown: what its live heartbeat proves.   *)

Update(w, new) == writer' = [writer EXCEPT ![w] = new]

Sleep(w) ==
  /\ writer[w].awake
  /\ Update(w, [writer[w] EXCEPT !.awake = FALSE, !.shown = {},
                                 !.right = IF @ = "admitted" THEN "lease" ELSE @])
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

Wake(w) ==
  /\ ~writer[w].awake
  /\ Update(w, [writer[w] EXCEPT !.awake = TRUE])
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

Load(w) ==
  /\ writer[w].awake /\ writer[w].has # Versions
  /\ Update(w, [writer[w] EXCEPT !.has = Versions])
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

Beat(w) ==
  /\ writer[w].awake /\ writer[w].shown # writer[w].has
  /\ Update(w, [writer[w] EXCEPT !.shown = @ \cup writer[w].has])
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

AfterRead(w) ==
  [writer[w] EXCEPT !.view = ks.active, !.epoch = ks.epoch,
                    !.right = IF Needed(ks) \subseteq writer[w].has THEN "admitted" ELSE "none"]

Read(w) ==
  /\ writer[w].awake /\ (JoinOrder = "beat first" => writer[w].shown # {})
  /\ AfterRead(w) # writer[w]
  /\ Update(w, AfterRead(w))
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

Seal(w, r, f) ==
  /\ writer[w].awake /\ writer[w].sealed = {} /\ writer[w].right # "none"
  /\ Update(w, [writer[w] EXCEPT !.sealed = {[r |-> r, f |-> f, v |-> writer[w].view]}])
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

\* A blind write of one field, as by code that knows nothing of Keyfleet.
Put(w) ==
  /\ writer[w].awake
  /\ \E s \in writer[w].sealed :
       LET after == [rec[s.r] EXCEPT ![s.f] = s.v]
       IN IF Allows(rec[s.r], after)
          THEN rec' = [rec EXCEPT ![s.r] = after] /\ worker' = Stale(s.r)
          ELSE UNCHANGED <<rec, worker>>
  /\ Update(w, [writer[w] EXCEPT !.sealed = {}])
  /\ UNCHANGED <<ks, fence, orders>>

\* A lease's worth of time, for everyone who has not seen the present epoch.
Elapsed(w) ==
  IF writer[w].epoch = ks.epoch \/ writer[w].right \in {"none", "unaware"} THEN writer[w]
  ELSE [writer[w] EXCEPT !.right = IF Suspend /\ ~writer[w].awake THEN "unaware" ELSE "none"]

Time ==
  /\ \E w \in Writers : Elapsed(w) # writer[w]
  /\ writer' = [w \in Writers |-> Elapsed(w)]
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

(* -------------------------------------------------------------------------------- the workers *)
(* A worker does one thing at a time: what it means to do is decided in one step and done in another. *)

Means(d, intent) == worker' = [worker EXCEPT ![d] = {intent}]
Done(d) == [worker EXCEPT ![d] = {}]

\* A record to move, in the pass before the flip or in the sweep behind the fence.
Pick(d, r) ==
  /\ worker[d] = {} /\ ks.phase \in {"rewrapping", "sweeping"}
  /\ \E v \in Versions \ {ks.to} : Needs(Sweeps, r, v)
  /\ Means(d, [do |-> "rewrap", r |-> r, to |-> ks.to, fresh |-> TRUE])
  /\ UNCHANGED <<ks, rec, fence, writer, orders>>

Moved(i) == [f \in Fields |-> i.to]

Rewrap(d) ==
  /\ \E i \in worker[d] :
       /\ i.do = "rewrap"
       /\ IF i.fresh /\ Allows(rec[i.r], Moved(i))
          THEN rec' = [rec EXCEPT ![i.r] = Moved(i)] /\ worker' = [Stale(i.r) EXCEPT ![d] = {}]
          ELSE rec' = rec /\ worker' = Done(d)
  /\ UNCHANGED <<ks, fence, writer, orders>>

\* The same, if it comes to something: fairness asks that conflicts do not go on for ever.
RewrapWell(d) == Rewrap(d) /\ rec' # rec

PlanFence(d) ==
  /\ worker[d] = {} /\ ks.phase \in {"opening", "fencing"}
  /\ Means(d, [do |-> "arm", set |-> ks.writable, epoch |-> ks.epoch,
               says |-> IF ks.phase = "opening" THEN "opened" ELSE "fenced"])
  /\ UNCHANGED <<ks, rec, fence, writer, orders>>

\* Only a fence that the store took is reported, and that later.
Arm(d) ==
  /\ \E i \in worker[d] :
       /\ i.do = "arm"
       /\ IF i.epoch >= fence.epoch \/ ~FenceEpoch
          THEN /\ fence' = [set |-> i.set, epoch |-> i.epoch]
               /\ Means(d, [do |-> "tell", says |-> i.says, epoch |-> i.epoch])
          ELSE fence' = fence /\ worker' = Done(d)
  /\ UNCHANGED <<ks, rec, writer, orders>>

Roster == {w \in Writers : writer[w].shown # {}}
Ready(v) == Roster # {} /\ \A w \in Roster : v \in writer[w].shown
NobodyBehind == \A w \in Writers : writer[w].epoch = ks.epoch
                                   \/ writer[w].right \in {"none", "unaware"}

Listing == IF GateOrder = "stage first" THEN ks.phase = "staged"
           ELSE ks.phase = "idle" /\ "start" \in orders

Found ==
  CASE Listing -> {IF Ready(2) THEN "gate passed" ELSE "unstaged"}
    [] ks.phase = "rewrapping" -> IF Ready(ks.to) THEN {"pass ended"} ELSE {}
    [] ks.phase = "settling" -> IF NobodyBehind THEN {"settled"} ELSE {}
    [] ks.phase = "sweeping" -> {"sweep ended"}
    [] ks.phase = "proving" -> {IF Counted(ks.from) THEN "straggled" ELSE "proved"}
    [] OTHER -> {}

Find(d) ==
  /\ worker[d] = {}
  /\ \E says \in Found : Means(d, [do |-> "tell", says |-> says, epoch |-> ks.epoch])
  /\ UNCHANGED <<ks, rec, fence, writer, orders>>

Tell(d) ==
  /\ \E i \in worker[d] : i.do = "tell" /\ ks' = Told(ks, i.says, i.epoch)
  /\ worker' = Done(d)
  /\ UNCHANGED <<rec, fence, writer, orders>>

(* ------------------------------------------------------------------------------ the operators *)

Start ==
  /\ "start" \in orders /\ ks.phase = "idle"
  /\ ks' = [ks EXCEPT !.phase = "staged", !.state[ks.to] = "staged"]
  /\ orders' = orders \ {"start"}
  /\ UNCHANGED <<rec, fence, writer, worker>>

\* Before the gate nothing is sealed under 2; behind the fence only forward is safe.
Abort ==
  /\ "abort" \in orders /\ ~ks.turned
  /\ ks.phase \in {"staged", "opening", "rewrapping", "settling", "fencing"}
  /\ ks' = IF ks.phase = "staged"
           THEN [ks EXCEPT !.phase = "aborted", !.state[ks.to] = "announced"]
           ELSE Flipped(ks, ks.from, ks.to, TRUE)
  /\ orders' = orders \ {"abort"}
  /\ UNCHANGED <<rec, fence, writer, worker>>

\* Nobody shows it as current, everybody shows the present epoch, no record needs it.
Unused(v) ==
  /\ ks.phase \notin Running /\ Roster # {}
  /\ \A w \in Roster : writer[w].view # v /\ writer[w].epoch = ks.epoch
  /\ ~Counted(v)

Remove(v) ==
  /\ Unused(v)
  /\ \/ ks.state[v] = "decrypt only" /\ ks' = [ks EXCEPT !.state[v] = "disabled"]
     \/ ks.state[v] = "disabled" /\ ks' = [ks EXCEPT !.state[v] = "destroying"]
  /\ UNCHANGED <<rec, fence, writer, worker, orders>>

(* ------------------------------------------------------------------------------------ the whole *)

Init ==
  /\ ks = [epoch |-> 1, active |-> 1, writable |-> {1}, phase |-> "idle", from |-> 1, to |-> 2,
           turned |-> FALSE, state |-> [v \in Versions |-> IF v = 1 THEN "active" ELSE "announced"]]
  /\ rec = [r \in Records |-> [f \in Fields |-> 1]]
  /\ fence = [set |-> {1}, epoch |-> 1]
  /\ writer = [w \in Writers |->
       IF w \in Late
       THEN [has |-> {1}, shown |-> {}, view |-> 1, epoch |-> 1, right |-> "none",
             awake |-> TRUE, sealed |-> {}]
       ELSE [has |-> Versions, shown |-> Versions, view |-> 1, epoch |-> 1, right |-> "admitted",
             awake |-> TRUE, sealed |-> {}]]
  /\ worker = [d \in Workers |->
       IF d \in GivenUp THEN {[do |-> "arm", set |-> {1}, epoch |-> 1, says |-> "nothing"]} ELSE {}]
  /\ orders = Orders

WriterStep(w) ==
  \/ Sleep(w) \/ Wake(w) \/ Load(w) \/ Beat(w) \/ Read(w) \/ Put(w)
  \/ \E r \in Records, f \in Fields : Seal(w, r, f)

Act(d) == Rewrap(d) \/ Arm(d) \/ Tell(d)
WorkerStep(d) == Act(d) \/ PlanFence(d) \/ Find(d) \/ \E r \in Records : Pick(d, r)

Next ==
  \/ \E w \in Writers : WriterStep(w)
  \/ \E d \in Workers : WorkerStep(d)
  \/ Time \/ Start \/ Abort
  \/ \E v \in Versions : Remove(v)

Spec == Init /\ [][Next]_vars

\* In the end nobody sleeps any more; processes go on beating and reading and get their keys; drivers
\* act.
Fair ==
  /\ \A w \in Writers : WF_vars(Load(w)) /\ WF_vars(Beat(w)) /\ WF_vars(Read(w))
  /\ WF_vars(Time)
  /\ <>[](\A w \in Writers : writer[w].awake)
  /\ \A d \in Workers : WF_vars(Act(d))
  /\ SF_vars(\E d \in Workers : PlanFence(d))
  /\ SF_vars(\E d \in Workers : Find(d))
  /\ SF_vars(\E d \in Workers, r \in Records : Pick(d, r))
  /\ SF_vars(\E d \in Workers : RewrapWell(d))

FairSpec == Spec /\ Fair

(* ---------------------------------------------------------------------------------- the promises *)

\* P1: nothing that was written has lost its key.
Readable == \A r \in Records : \A v \in Carried(rec[r]) : ks.state[v] # "destroying"

\* P2, K6: a rotation that ended left nobody behind who carries the version it came from.
Proven ==
  ks.phase = "completed" \/ (ks.phase = "aborted" /\ ks.turned)
    => \A r \in Records : ks.from \notin Carried(rec[r])

\* K1: what records carry, every admitted process has proved. (A value that was sealed and not yet
\* written does not count: if it is late, the fence refuses it and nobody ever meets it.)
K1 ==
  \A w \in Writers : writer[w].right = "admitted"
    => \A r \in Records : Carried(rec[r]) \subseteq writer[w].has

\* K2: behind the fence no record newly carries a version that the keystore does not admit.
K2 == [][ks.phase \in {"sweeping", "proving"}
          => \A r \in Records : Carried(rec'[r]) \subseteq Carried(rec[r]) \cup ks.writable]_vars

\* K7: epochs never go back, in the keystore and in the stores.
K7 == [][ks'.epoch >= ks.epoch /\ fence'.epoch >= fence.epoch]_vars

\* Every rotation that was started ends.
Ends == (ks.phase \in Running) ~> (ks.phase \notin Running)
=============================================================================
