------------------------------ MODULE Rollout ------------------------------
(* One attempt to bring nodes to a release: drivers that claim epochs and lose them, desired states    *)
(* written by compare-and-set, nodes that are cut off, become unhealthy, and pause between reading and *)
(* acting.                                                                                             *)
(*                                                                                                     *)
(* A driver has one thread: a message that it sends may arrive much later, or never. A lost claim does *)
(* not stop messages that are on their way. Preparing is part of a slot; a second attempt, the lane of *)
(* offline nodes and pauses between batches are not modelled here.                                     *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Nodes, Drivers,
  Batch,          \* nodes in flight
  MaxUnavailable, \* nodes that may be unreachable after their apply is committed
  MaxFailed,      \* failed nodes at which the rollout goes back
  MaxEpoch,       \* claims, not counting the one that an abort makes
  Troubles        \* what may happen: "cut" | "sick" | "late" | "abort" | "loss"

CONSTANTS         \* the rules; the first value of each is correct
  Write,          \* "compare": never over a higher epoch | "put"
  AbortWhen,      \* "acknowledged" | "written"
  AbortClaims,    \* TRUE: an abort is an epoch of its own
  Slots,          \* "kept" | "given away": an unreachable node no longer counts
  Obeys,          \* "the highest" | "anyone"
  Nudges,         \* a direct command: "checked" against desired, so only a hint | "believed"
  ConfirmsWhen,   \* "soaked" | "soaking"
  AppliesWhen     \* "staged" | "asked"

VARIABLES hi, ctl, driver, desired, node, report, cut,
  wire  \* direct commands to nodes: they arrive late, in any order, again, or never
vars == <<hi, ctl, driver, desired, node, report, cut, wire>>

Nothing == [goal |-> "none", epoch |-> 0]

(* ---------------------------------------------------------------------------- the control record *)

In(states) == {n \in Nodes : ctl.of[n] \in states}
InFlight == In({"staging", "applied", "confirming"})
Unreachable == In({"unreachable"})
\* The nodes that may still run the release unconfirmed because of an earlier decision.
Committed == In({"applied", "unreachable", "confirming"})

RoomForOne ==
  /\ Cardinality(InFlight) < Batch
  /\ Slots = "kept" => Cardinality(InFlight \cup Unreachable) < Batch + MaxUnavailable

MayGiveUp == Slots = "given away" \/ Cardinality(Unreachable) < MaxUnavailable

TooMany == Cardinality(In({"failed"})) >= MaxFailed
Forward == ctl.state = "rolling" /\ ~TooMany

\* What each node should reach: a function of the record, so sending it twice is harmless.
Goal(n) ==
  IF ctl.state = "rolling"
  THEN CASE ctl.of[n] = "staging" -> "staged"
         [] ctl.of[n] \in {"applied", "unreachable"} -> "applied"
         [] ctl.of[n] = "confirming" -> "confirmed"
         [] OTHER -> "none"
  ELSE IF ctl.state = "aborting" /\ n \in Committed THEN "back" ELSE "none"

(* ------------------------------------------------------------------------------------ the drivers *)

Leads(d) == driver[d].lead # 0 /\ driver[d].lead = ctl.epoch
Going == ctl.state \in {"rolling", "aborting"}

NoneAhead == \A d \in Drivers : driver[d].lead <= ctl.epoch

\* By creating a key, so each epoch has one owner. One epoch always remains for an abort.
Claim(d) ==
  /\ Going
  /\ \/ hi < MaxEpoch
     \/ ctl.state = "rolling" /\ "abort" \in Troubles /\ hi = MaxEpoch
     \/ ctl.state = "rolling" /\ TooMany /\ NoneAhead
  /\ hi' = hi + 1
  /\ driver' = [driver EXCEPT ![d].lead = hi + 1]
  /\ UNCHANGED <<ctl, desired, node, report, cut, wire>>

\* A driver that adopts a rollout that must go back makes it go back at once.
Enter(d) ==
  /\ ctl.state = "aborting" \/ Forward
  /\ driver[d].lead > ctl.epoch
  /\ ctl' = [ctl EXCEPT !.epoch = driver[d].lead]
  /\ UNCHANGED <<hi, driver, desired, node, report, cut, wire>>

\* By order of an operator, or because too many nodes failed. The new epoch fences late messages.
Abort(d) ==
  /\ ctl.state = "rolling" /\ (TooMany \/ "abort" \in Troubles)
  /\ IF AbortClaims THEN driver[d].lead > ctl.epoch ELSE Leads(d)
  /\ ctl' = [ctl EXCEPT !.epoch = driver[d].lead, !.state = "aborting", !.abort = driver[d].lead]
  /\ UNCHANGED <<hi, driver, desired, node, report, cut, wire>>

Moves(d, n, from, to) ==
  /\ Leads(d) /\ ctl.of[n] \in from
  /\ ctl' = [ctl EXCEPT !.of[n] = to]
  /\ UNCHANGED <<hi, driver, desired, node, report, cut, wire>>

Stage(d, n) == Forward /\ RoomForOne /\ Moves(d, n, {"pending"}, "staging")
Apply(d, n) ==
  /\ Forward /\ (AppliesWhen = "staged" => report[n].phase = "staged")
  /\ Moves(d, n, {"staging"}, "applied")
GiveUp(d, n) == Forward /\ cut[n] /\ MayGiveUp /\ Moves(d, n, {"applied", "confirming"}, "unreachable")
Confirm(d, n) ==
  /\ Forward /\ report[n].phase = ConfirmsWhen
  /\ Moves(d, n, {"applied", "unreachable"}, "confirming")

\* How a node ended, by its own report.
Outcome(n) == CASE report[n].phase = "confirmed" -> "confirmed"
                [] report[n].phase = "back" /\ report[n].why = "sick" -> "failed"
                [] report[n].phase = "back" /\ report[n].why = "late" -> "missed"
                [] OTHER -> "back"

See(d, n) ==
  /\ ctl.state = "rolling" /\ report[n].phase \in {"confirmed", "back"}
  /\ Moves(d, n, {"applied", "unreachable", "confirming"}, Outcome(n))

Acknowledged(n) ==
  IF AbortWhen = "acknowledged" THEN report[n].seen >= ctl.abort
  ELSE desired[n].goal = "back" /\ desired[n].epoch >= ctl.abort

Count(d, n) ==
  /\ ctl.state = "aborting" /\ Acknowledged(n)
  /\ Moves(d, n, {"applied", "unreachable", "confirming"}, Outcome(n))

Finish(d) ==
  /\ Leads(d) /\ Going
  /\ IF ctl.state = "rolling" THEN In({"confirmed", "missed", "failed"}) = Nodes /\ ~TooMany
                              ELSE Committed = {}
  /\ ctl' = [ctl EXCEPT !.state = IF @ = "rolling" THEN "completed" ELSE "aborted"]
  /\ UNCHANGED <<hi, driver, desired, node, report, cut, wire>>

Send(d, n) ==
  /\ Leads(d) /\ driver[d].way = {} /\ Goal(n) # "none"
  /\ desired[n] # [goal |-> Goal(n), epoch |-> ctl.epoch]
  /\ driver' = [driver EXCEPT ![d].way = {[n |-> n, goal |-> Goal(n), epoch |-> ctl.epoch]}]
  /\ wire' = IF Nudges = "checked" THEN wire ELSE wire \cup driver'[d].way
  /\ UNCHANGED <<hi, ctl, desired, node, report, cut>>

Land(d) ==
  /\ \E m \in driver[d].way :
       desired' = IF Write = "put" \/ m.epoch >= desired[m.n].epoch
                  THEN [desired EXCEPT ![m.n] = [goal |-> m.goal, epoch |-> m.epoch]]
                  ELSE desired
  /\ driver' = [driver EXCEPT ![d].way = {}]
  /\ UNCHANGED <<hi, ctl, node, report, cut, wire>>

Lose(d) ==
  /\ "loss" \in Troubles /\ driver[d].way # {}
  /\ driver' = [driver EXCEPT ![d].way = {}]
  /\ UNCHANGED <<hi, ctl, desired, node, report, cut, wire>>

(* -------------------------------------------------------------------------------------- the nodes *)

Forwards == [idle |-> "staged", staged |-> "soaking"]

\* The phase of a node after it obeys a goal.
Obeyed(phase, goal) ==
  CASE goal = "staged" /\ phase = "idle" -> "staged"
    [] goal = "applied" /\ phase \in {"idle", "staged"} -> Forwards[phase]
    [] goal = "confirmed" /\ phase = ConfirmsWhen -> "confirmed"
    [] goal = "back" /\ phase # "confirmed" -> "back"
    [] OTHER -> phase

After(n, m) ==
  IF m.epoch < node[n].seen /\ Obeys = "the highest" THEN node[n]
  ELSE [node[n] EXCEPT !.seen = m.epoch, !.phase = Obeyed(@, m.goal)]

OrdersFor(n) == {desired[n]} \cup {[goal |-> m.goal, epoch |-> m.epoch] : m \in {w \in wire : w.n = n}}

\* A node may act on an order long after reading it; reading again replaces the earlier order.
Read(n) ==
  /\ ~cut[n]
  /\ \E m \in OrdersFor(n) \ ({Nothing} \cup node[n].got) :
       After(n, m) # node[n] /\ node' = [node EXCEPT ![n].got = {m}]
  /\ UNCHANGED <<hi, ctl, driver, desired, report, cut, wire>>

Act(n) ==
  /\ \E m \in node[n].got : node' = [node EXCEPT ![n] = [After(n, m) EXCEPT !.got = {}]]
  /\ UNCHANGED <<hi, ctl, driver, desired, report, cut, wire>>

Soak(n) ==
  /\ node[n].phase = "soaking" /\ ~cut[n]
  /\ node' = [node EXCEPT ![n].phase = "soaked"]
  /\ UNCHANGED <<hi, ctl, driver, desired, report, cut, wire>>

Falls(n, why) ==
  /\ node[n].phase \in {"soaking", "soaked"}
  /\ node' = [node EXCEPT ![n].phase = "back", ![n].why = why]
  /\ UNCHANGED <<hi, ctl, driver, desired, report, cut, wire>>

Sicken(n) == "sick" \in Troubles /\ Falls(n, "sick")
Deadline(n) == ("late" \in Troubles \/ cut[n]) /\ Falls(n, "late")

CurrentReport(n) == [phase |-> node[n].phase, why |-> node[n].why, seen |-> node[n].seen]
Report(n) ==
  /\ ~cut[n] /\ report[n] # CurrentReport(n)
  /\ report' = [report EXCEPT ![n] = CurrentReport(n)]
  /\ UNCHANGED <<hi, ctl, driver, desired, node, cut, wire>>

Cut(n) ==
  /\ "cut" \in Troubles
  /\ cut' = [cut EXCEPT ![n] = ~@]
  /\ UNCHANGED <<hi, ctl, driver, desired, node, report, wire>>

(* ------------------------------------------------------------------------------------- the system *)

Init ==
  /\ hi = 0
  /\ ctl = [epoch |-> 0, state |-> "rolling", abort |-> 0, of |-> [n \in Nodes |-> "pending"]]
  /\ driver = [d \in Drivers |-> [lead |-> 0, way |-> {}]]
  /\ desired = [n \in Nodes |-> Nothing]
  /\ node = [n \in Nodes |-> [phase |-> "idle", why |-> "none", seen |-> 0, got |-> {}]]
  /\ report = [n \in Nodes |-> CurrentReport(n)]
  /\ cut = [n \in Nodes |-> FALSE]
  /\ wire = {}

Decide(d, n) ==
  Stage(d, n) \/ Apply(d, n) \/ GiveUp(d, n) \/ Confirm(d, n) \/ See(d, n) \/ Count(d, n)
DriverStep(d) ==
  \/ Claim(d) \/ Enter(d) \/ Abort(d) \/ Finish(d) \/ Land(d) \/ Lose(d)
  \/ \E n \in Nodes : Decide(d, n) \/ Send(d, n)
NodeStep(n) ==
  Read(n) \/ Act(n) \/ Soak(n) \/ Sicken(n) \/ Deadline(n) \/ Report(n) \/ Cut(n)

Next == (\E d \in Drivers : DriverStep(d)) \/ (\E n \in Nodes : NodeStep(n))
Spec == Init /\ [][Next]_vars

\* Some driver leads and continues; messages are not lost for ever; in the end no node is cut off.
Fair ==
  /\ WF_vars(\E d \in Drivers : hi = 0 /\ Claim(d))
  /\ WF_vars(\E d \in Drivers : TooMany /\ NoneAhead /\ Claim(d))
  /\ WF_vars(\E d \in Drivers : Enter(d) \/ (TooMany /\ Abort(d)))
  /\ \A d \in Drivers : WF_vars(Finish(d)) /\ SF_vars(Land(d))
  /\ \A d \in Drivers, n \in Nodes : WF_vars(Decide(d, n)) /\ SF_vars(Send(d, n))
  /\ \A n \in Nodes : WF_vars(Read(n)) /\ WF_vars(Act(n)) /\ WF_vars(Report(n)) /\ WF_vars(Soak(n))
  /\ \A n \in Nodes : <>[]~cut[n]

FairSpec == Spec /\ Fair

(* --------------------------------------------------------------------------------- the properties *)

Unconfirmed == {n \in Nodes : node[n].phase \in {"soaking", "soaked"}}

\* I6, P7: a limited number of nodes runs an unconfirmed release, reachable or not.
Bounded == Cardinality(Unconfirmed) <= Batch + MaxUnavailable

\* I3: after the rollout is aborted, no node takes the release.
AbortedIsOver ==
  [][ctl.state = "aborted"
      => \A n \in Nodes : node'[n].phase # node[n].phase => node'[n].phase \notin {"soaking", "confirmed"}]_vars

\* R2: a node obeys drivers in the order of their epochs, and no older driver overwrites a newer order.
InOrder ==
  [][\A n \in Nodes : node'[n].seen >= node[n].seen /\ desired'[n].epoch >= desired[n].epoch]_vars

\* I5: a node is confirmed only after its whole soak.
ConfirmedIsSoaked ==
  [][\A n \in Nodes : node'[n].phase = "confirmed" => node[n].phase \in {"soaked", "confirmed"}]_vars

\* R11: no node takes the release before it is staged and checked.
AppliedIsStaged ==
  \A n \in Nodes : ctl.of[n] = "applied" => node[n].phase # "idle"

\* I1, R13: a node counts as failed only by its own report.
FailedIsSick == \A n \in In({"failed"}) : node[n].why = "sick"

\* After a completed rollout no node runs the release unconfirmed.
OverIsOver == ctl.state = "completed" => Unconfirmed = {}

Ends == <>(ctl.state \in {"completed", "aborted"})
=============================================================================
