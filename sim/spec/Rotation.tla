------------------------------ MODULE Rotation ------------------------------
(* A rotation of one keyring from version 1 to version 2, with everything that acts on it: processes  *)
(* that join, seal and write later; drivers that read or decide and act later; a store with a fence;  *)
(* operators that start, abort, withdraw and remove; and a keystore that is restored from a backup,   *)
(* which the fence remembers: then it is held until an operator resolves it.                          *)
(*                                                                                                    *)
(* One step here is one step of the system: a compare-and-set of the keystore, a record write, a      *)
(* fence call, a heartbeat, a read. Between two steps of one process anything may happen, for any     *)
(* time. With the correct rules this is the system that the explorer runs on the production classes:  *)
(* a test compares the numbers of states.                                                             *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Records, Fields,  \* each field of a record may have a version of its own
  Writers,          \* processes that seal
  Late,             \* writers that have not joined yet and lack version 2
  Workers,          \* processes that drive the rotation
  GivenUp,          \* drivers of the previous rotation, whose last fence call has not arrived yet
  Orders,           \* what operators do, each once: "start", "abort", "withdraw", "restore", "resolve"
  Suspend           \* TRUE: the clock of a sleeping process stops

CONSTANTS           \* the rules; the first value of each is correct
  FenceRule,        \* "set" | "bound": nothing below | "none"
  FenceEpoch,       \* TRUE: a store refuses the fence of a lower epoch
  FenceWhen,        \* "before sweep" | "after census"
  GateOrder,        \* "stage first" | "list first"
  JoinOrder,        \* "beat first" | "read first"
  Counts,           \* what a census counts: "carrying" | "belonging"
  Sweeps,           \* what a sweep finds: "carrying" | "belonging"
  Withdraws,        \* what can be withdrawn: "announced" | "staged too"
  Holds,            \* who sees that the keystore is held: "everyone" | "nobody"
  Accepts,          \* of a held keystore: "keeps used versions" | "keeps its states"
  ResolvesAt        \* the epoch after a hold: "above both" | "the keystore's"

ASSUME /\ Late \subseteq Writers /\ GivenUp \subseteq Workers
       /\ Orders \subseteq {"start", "abort", "withdraw", "restore", "resolve"}

Versions == {1, 2}

VARIABLES ks, rec, fence, writer, worker, orders
vars == <<ks, rec, fence, writer, worker, orders>>

(* ------------------------------------------------------------------------------- the keystore *)

Running == {"staged", "opening", "rewrapping", "settling", "fencing", "sweeping", "proving"}

\* The fence is ahead of the keystore: it was restored to an older state.
Held == fence.epoch > ks.epoch
SeenHeld == Holds = "everyone" /\ Held

Needed(k) == {v \in Versions : k.state[v] \in {"staged", "active", "decrypt only"}}

Flipped(k, to, other, turned) ==
  [k EXCEPT !.epoch = @ + 1, !.active = to, !.writable = {to, other}, !.phase = "settling",
            !.from = other, !.to = to, !.turned = turned, !.used = @ \cup {to},
            !.state = [@ EXCEPT ![other] = "decrypt only", ![to] = "active"]]

Ended(k) ==
  [k EXCEPT !.phase = IF k.turned THEN "aborted" ELSE "completed",
            !.state = IF k.turned THEN [@ EXCEPT ![k.from] = "announced"] ELSE @]

Settled(k) ==
  [k EXCEPT !.writable = {k.to},
            !.phase = IF FenceWhen = "before sweep" THEN "fencing" ELSE "sweeping"]

\* The keystore after a driver reports an event; late reports change nothing.
Reported(k, event, epoch) ==
  IF epoch # k.epoch THEN k
  ELSE CASE k.phase = "staged" /\ event = "gate passed" ->
              [k EXCEPT !.phase = "opening", !.writable = {k.from, k.to}]
         [] k.phase = "staged" /\ event = "unstaged" ->
              [k EXCEPT !.phase = "idle", !.state[k.to] = "announced"]
         [] k.phase = "opening" /\ event = "opened" -> [k EXCEPT !.phase = "rewrapping"]
         [] k.phase = "rewrapping" /\ event = "pass ended" -> Flipped(k, k.to, k.from, FALSE)
         [] k.phase = "settling" /\ event = "settled" -> Settled(k)
         [] k.phase = "fencing" /\ event = "fenced" ->
              IF FenceWhen = "before sweep" THEN [k EXCEPT !.phase = "sweeping"] ELSE Ended(k)
         [] k.phase = "sweeping" /\ event = "sweep ended" -> [k EXCEPT !.phase = "proving"]
         [] k.phase = "proving" /\ event = "straggled" -> [k EXCEPT !.phase = "sweeping"]
         [] k.phase = "proving" /\ event = "proved" ->
              IF FenceWhen = "before sweep" THEN Ended(k) ELSE [k EXCEPT !.phase = "fencing"]
         [] OTHER -> k

(* -------------------------------------------------------------------------------- the records *)

Carried(fields) == {fields[f] : f \in Fields}
Lowest(fields) == IF 1 \in Carried(fields) THEN 1 ELSE 2

\* Whether the store allows a change of a record.
Allows(before, after) ==
  CASE FenceRule = "none" -> TRUE
    [] FenceRule = "bound" -> \A v \in Carried(after) : v \in Carried(before)
                                                        \/ \E low \in fence.set : v >= low
    [] FenceRule = "set" -> /\ Carried(after) \subseteq fence.set \cup Carried(before)
                            /\ Lowest(after) = Lowest(before) \/ Lowest(after) \in fence.set

\* A worker that read the record before the write loses its compare-and-set.
Stale(r) ==
  [d \in Workers |->
    {IF i.do = "rewrap" THEN IF i.r = r THEN [i EXCEPT !.fresh = FALSE] ELSE i ELSE i
      : i \in worker[d]}]

\* The records that need version v, as a census or a sweep sees it.
Needs(rule, r, v) == IF rule = "carrying" THEN v \in Carried(rec[r]) ELSE v = Lowest(rec[r])
Counted(v) == \E r \in Records : Needs(Counts, r, v)

(* -------------------------------------------------------------------------------- the writers *)
(* right: "admitted" by its last round trip; "lease": not fresh any more, but the lease is valid;    *)
(* "unaware": the lease is over, but its clock stopped; "none". shown: what its heartbeat proves.    *)

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

SendHeartbeat(w) ==
  /\ writer[w].awake /\ writer[w].shown # writer[w].has
  /\ Update(w, [writer[w] EXCEPT !.shown = @ \cup writer[w].has])
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

AfterRead(w) ==
  [writer[w] EXCEPT !.view = ks.active, !.epoch = ks.epoch,
                    !.right = IF ~SeenHeld /\ Needed(ks) \subseteq writer[w].has
                              THEN "admitted" ELSE "none"]

Read(w) ==
  /\ writer[w].awake /\ (JoinOrder = "beat first" => writer[w].shown # {})
  /\ AfterRead(w) # writer[w]
  /\ Update(w, AfterRead(w))
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

Seal(w, r, f) ==
  /\ writer[w].awake /\ writer[w].sealed = {} /\ writer[w].right # "none"
  /\ Update(w, [writer[w] EXCEPT !.sealed = {[r |-> r, f |-> f, v |-> writer[w].view]}])
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

\* A write of one field without comparing, like code that does not use Keyfleet.
WriteField(w) ==
  /\ writer[w].awake
  /\ \E s \in writer[w].sealed :
       LET after == [rec[s.r] EXCEPT ![s.f] = s.v]
       IN IF Allows(rec[s.r], after)
          THEN rec' = [rec EXCEPT ![s.r] = after] /\ worker' = Stale(s.r)
          ELSE UNCHANGED <<rec, worker>>
  /\ Update(w, [writer[w] EXCEPT !.sealed = {}])
  /\ UNCHANGED <<ks, fence, orders>>

\* The time of a lease passes for every writer that has not seen the present epoch.
Elapsed(w) ==
  IF writer[w].epoch = ks.epoch \/ writer[w].right \in {"none", "unaware"} THEN writer[w]
  ELSE [writer[w] EXCEPT !.right = IF Suspend /\ ~writer[w].awake THEN "unaware" ELSE "none"]

Time ==
  /\ \E w \in Writers : Elapsed(w) # writer[w]
  /\ writer' = [w \in Writers |-> Elapsed(w)]
  /\ UNCHANGED <<ks, rec, fence, worker, orders>>

(* -------------------------------------------------------------------------------- the workers *)
(* A worker does one thing at a time: one step decides it, a later step does it.                      *)

Plans(d, intent) == worker' = [worker EXCEPT ![d] = {intent}]
Done(d) == [worker EXCEPT ![d] = {}]

\* A record to rewrap, in the pass before the flip or in the sweep after the fence.
Pick(d, r) ==
  /\ worker[d] = {} /\ ks.phase \in {"rewrapping", "sweeping"}
  /\ \E v \in Versions \ {ks.to} : Needs(Sweeps, r, v)
  /\ Plans(d, [do |-> "rewrap", r |-> r, to |-> ks.to, fresh |-> TRUE])
  /\ UNCHANGED <<ks, rec, fence, writer, orders>>

Moved(i) == [f \in Fields |-> i.to]

Rewrap(d) ==
  /\ \E i \in worker[d] :
       /\ i.do = "rewrap"
       /\ IF i.fresh /\ Allows(rec[i.r], Moved(i))
          THEN rec' = [rec EXCEPT ![i.r] = Moved(i)] /\ worker' = [Stale(i.r) EXCEPT ![d] = {}]
          ELSE rec' = rec /\ worker' = Done(d)
  /\ UNCHANGED <<ks, fence, writer, orders>>

\* The same, if it succeeds: fairness requires that conflicts end.
RewrapSucceeds(d) == Rewrap(d) /\ rec' # rec

PlanFence(d) ==
  /\ worker[d] = {} /\ ks.phase \in {"opening", "fencing"}
  /\ Plans(d, [do |-> "fence", set |-> ks.writable, epoch |-> ks.epoch,
               event |-> IF ks.phase = "opening" THEN "opened" ELSE "fenced"])
  /\ UNCHANGED <<ks, rec, fence, writer, orders>>

\* Only a fence that the store accepted is reported, and the report may come later.
RaiseFence(d) ==
  /\ \E i \in worker[d] :
       /\ i.do = "fence"
       /\ IF i.epoch >= fence.epoch \/ ~FenceEpoch
          THEN /\ fence' = [set |-> i.set, epoch |-> i.epoch]
               /\ Plans(d, [do |-> "report", event |-> i.event, epoch |-> i.epoch])
          ELSE fence' = fence /\ worker' = Done(d)
  /\ UNCHANGED <<ks, rec, writer, orders>>

Roster == {w \in Writers : writer[w].shown # {}}
Ready(v) == Roster # {} /\ \A w \in Roster : v \in writer[w].shown
AllCaughtUp == \A w \in Writers : writer[w].epoch = ks.epoch
                                  \/ writer[w].right \in {"none", "unaware"}

Listing == IF GateOrder = "stage first" THEN ks.phase = "staged"
           ELSE ks.phase = "idle" /\ "start" \in orders

Found ==
  CASE Listing -> {IF Ready(2) THEN "gate passed" ELSE "unstaged"}
    [] ks.phase = "rewrapping" -> IF Ready(ks.to) THEN {"pass ended"} ELSE {}
    [] ks.phase = "settling" -> IF AllCaughtUp THEN {"settled"} ELSE {}
    [] ks.phase = "sweeping" -> {"sweep ended"}
    [] ks.phase = "proving" -> {IF Counted(ks.from) THEN "straggled" ELSE "proved"}
    [] OTHER -> {}

Find(d) ==
  /\ worker[d] = {}
  /\ \E event \in Found : Plans(d, [do |-> "report", event |-> event, epoch |-> ks.epoch])
  /\ UNCHANGED <<ks, rec, fence, writer, orders>>

ReportEvent(d) ==
  /\ \E i \in worker[d] : i.do = "report" /\ ks' = Reported(ks, i.event, i.epoch)
  /\ worker' = Done(d)
  /\ UNCHANGED <<rec, fence, writer, orders>>

(* ------------------------------------------------------------------------------ the operators *)

Start ==
  /\ "start" \in orders /\ ks.phase = "idle" /\ ks.state[2] = "announced" /\ ks.active = 1 /\ ~SeenHeld
  /\ ks' = [ks EXCEPT !.phase = "staged", !.state[ks.to] = "staged"]
  /\ orders' = orders \ {"start"}
  /\ UNCHANGED <<rec, fence, writer, worker>>

\* Before the gate nothing is sealed under 2; after the fence only going forward is safe.
Abort ==
  /\ "abort" \in orders /\ ~ks.turned /\ ~SeenHeld
  /\ ks.phase \in {"staged", "opening", "rewrapping", "settling", "fencing"}
  /\ ks' = IF ks.phase = "staged"
           THEN [ks EXCEPT !.phase = "aborted", !.state[ks.to] = "announced"]
           ELSE Flipped(ks, ks.from, ks.to, TRUE)
  /\ orders' = orders \ {"abort"}
  /\ UNCHANGED <<rec, fence, writer, worker>>

\* Only while nothing can be sealed under the version.
Withdraw ==
  /\ "withdraw" \in orders /\ ~SeenHeld
  /\ ks.state[2] \in (IF Withdraws = "announced" THEN {"announced"} ELSE {"announced", "staged"})
  /\ 2 \notin ks.used
  /\ ks' = [ks EXCEPT !.state[2] = "withdrawn"]
  /\ orders' = orders \ {"withdraw"}
  /\ UNCHANGED <<rec, fence, writer, worker>>

\* The keystore as it was at the beginning. It is restored when the fence tells all that is lost: no
\* record carries a version that neither the backup nor the fence names.
Backup == [epoch |-> 1, active |-> 1, writable |-> {1}, phase |-> "idle", from |-> 1, to |-> 2,
           turned |-> FALSE, used |-> {1},
           state |-> [v \in Versions |-> IF v = 1 THEN "active" ELSE "announced"]]

Restore ==
  /\ "restore" \in orders /\ ks.epoch > 1 /\ fence = [set |-> ks.writable, epoch |-> ks.epoch]
  /\ \A r \in Records : Carried(rec[r]) \subseteq {1} \cup fence.set
  /\ ks' = Backup
  /\ orders' = orders \ {"restore"}
  /\ UNCHANGED <<rec, fence, writer, worker>>

\* Makes only one version active and writable.
Resolved(target) ==
  [ks EXCEPT !.epoch = IF ResolvesAt = "above both" THEN fence.epoch + 1 ELSE @ + 1,
             !.active = target, !.writable = {target},
             !.used = @ \cup {target},
             !.state = [v \in Versions |->
               IF v = target THEN "active"
               ELSE IF @[v] = "active" THEN "decrypt only"
               ELSE IF @[v] = "announced" /\ v \in fence.set /\ Accepts = "keeps used versions"
                    THEN "decrypt only" ELSE @[v]]]

\* The fence is right, or the keystore is.
Resolve ==
  /\ "resolve" \in orders /\ Held
  /\ \E target \in {CHOOSE v \in fence.set : \A o \in fence.set : o <= v, ks.active} :
       ks' = Resolved(target)
  /\ orders' = orders \ {"resolve"}
  /\ UNCHANGED <<rec, fence, writer, worker>>

\* After a decision the operator moves the fence to it, now or later.
Override ==
  /\ ks.phase = "idle" /\ ks.epoch > fence.epoch
  /\ fence' = [set |-> ks.writable, epoch |-> ks.epoch]
  /\ UNCHANGED <<ks, rec, writer, worker, orders>>

\* No process shows it as current, all processes show the present epoch, no record needs it.
Unused(v) ==
  /\ ks.phase \notin Running /\ Roster # {}
  /\ \A w \in Roster : writer[w].view # v /\ writer[w].epoch = ks.epoch
  /\ ~Counted(v)

Remove(v) ==
  /\ Unused(v) /\ ~SeenHeld
  /\ fence = [set |-> ks.writable, epoch |-> ks.epoch]  \* it is raised before the count
  /\ \/ ks.state[v] = "decrypt only" /\ ks' = [ks EXCEPT !.state[v] = "disabled"]
     \/ ks.state[v] = "disabled" /\ ks' = [ks EXCEPT !.state[v] = "destroying"]
  /\ UNCHANGED <<rec, fence, writer, worker, orders>>

(* ----------------------------------------------------------------------------------- the system *)

Init ==
  /\ ks = Backup
  /\ rec = [r \in Records |-> [f \in Fields |-> 1]]
  /\ fence = [set |-> {1}, epoch |-> 1]
  /\ writer = [w \in Writers |->
       IF w \in Late
       THEN [has |-> {1}, shown |-> {}, view |-> 1, epoch |-> 1, right |-> "none",
             awake |-> TRUE, sealed |-> {}]
       ELSE [has |-> Versions, shown |-> Versions, view |-> 1, epoch |-> 1, right |-> "admitted",
             awake |-> TRUE, sealed |-> {}]]
  /\ worker = [d \in Workers |->
       IF d \in GivenUp THEN {[do |-> "fence", set |-> {1}, epoch |-> 1, event |-> "nothing"]} ELSE {}]
  /\ orders = Orders

WriterStep(w) ==
  \/ Sleep(w) \/ Wake(w) \/ Load(w) \/ SendHeartbeat(w) \/ Read(w) \/ WriteField(w)
  \/ \E r \in Records, f \in Fields : Seal(w, r, f)

Act(d) == Rewrap(d) \/ RaiseFence(d) \/ ReportEvent(d)
WorkerStep(d) == Act(d) \/ PlanFence(d) \/ Find(d) \/ \E r \in Records : Pick(d, r)

Next ==
  \/ \E w \in Writers : WriterStep(w)
  \/ \E d \in Workers : WorkerStep(d)
  \/ Time \/ Start \/ Abort \/ Withdraw \/ Restore \/ Resolve \/ Override
  \/ \E v \in Versions : Remove(v)

Spec == Init /\ [][Next]_vars

\* In the end no process sleeps; processes continue to send heartbeats and to read, and get their keys;
\* drivers act.
Fair ==
  /\ \A w \in Writers : WF_vars(Load(w)) /\ WF_vars(SendHeartbeat(w)) /\ WF_vars(Read(w))
  /\ WF_vars(Time)
  /\ <>[](\A w \in Writers : writer[w].awake)
  /\ \A d \in Workers : WF_vars(Act(d))
  /\ SF_vars(\E d \in Workers : PlanFence(d))
  /\ SF_vars(\E d \in Workers : Find(d))
  /\ SF_vars(\E d \in Workers, r \in Records : Pick(d, r))
  /\ SF_vars(\E d \in Workers : RewrapSucceeds(d))

FairSpec == Spec /\ Fair

(* -------------------------------------------------------------------------------- the properties *)

\* P1, P14: every written value still has its key.
Readable ==
  \A r \in Records : \A v \in Carried(rec[r]) : ks.state[v] \notin {"destroying", "withdrawn"}

\* P2, K6: after a rotation no record carries the version that it came from.
Proven ==
  ks.phase = "completed" \/ (ks.phase = "aborted" /\ ks.turned)
    => \A r \in Records : ks.from \notin Carried(rec[r])

\* K1: every admitted process has proved the versions that records carry. (A value that is sealed but not
\* written yet does not count: if it is late, the fence refuses it and no process reads it.)
K1 ==
  \A w \in Writers : writer[w].right = "admitted"
    => \A r \in Records : Carried(rec[r]) \subseteq writer[w].has

\* K2: after the fence no record newly carries a version that the keystore does not allow.
K2 == [][ks.phase \in {"sweeping", "proving"}
          => \A r \in Records : Carried(rec'[r]) \subseteq Carried(rec[r]) \cup ks.writable]_vars

\* K7: epochs never go back, in the keystore and in the stores. A keystore that was restored is held.
K7 == [][(ks'.epoch >= ks.epoch \/ Held') /\ fence'.epoch >= fence.epoch]_vars

\* P15: a held keystore changes only to an epoch above all that were used, and admits no process.
HeldUntilResolved ==
  [][Held => /\ ks' # ks => ks'.epoch > fence.epoch
             /\ \A w \in Writers :
                  writer'[w].right = "admitted" => writer[w].right = "admitted"]_vars

\* Every started rotation ends.
Ends == (ks.phase \in Running) ~> (ks.phase \notin Running)
=============================================================================
