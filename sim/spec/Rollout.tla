------------------------------ MODULE Rollout ------------------------------
(* One attempt to bring nodes to a release: drivers that claim epochs and lose them, desired states    *)
(* written by compare-and-set, nodes that are cut off, become unhealthy, and pause between reading and *)
(* acting.                                                                                             *)
(*                                                                                                     *)
(* A driver has one thread: a message that it sends may arrive much later, or never. A lost claim does *)
(* not stop messages that are on their way. Preparing is part of a slot; a second attempt, nodes that  *)
(* come late and pauses between batches are not modelled here.                                         *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Nodes, Drivers,
  BatchSize,      \* nodes in flight
  MaxUnavailable, \* nodes that may be unreachable after their apply is committed
  MaxFailed,      \* failed nodes at which the rollout goes back
  MaxEpoch,       \* claims, not counting the one that an abort makes
  Faults          \* what may happen: "cut" | "sick" | "late" | "abort" | "loss"

CONSTANTS         \* the rules; the first value of each is correct
  Write,          \* "compare": never over a higher epoch | "put"
  AbortWhen,      \* "acknowledged" | "written"
  AbortClaims,    \* TRUE: an abort is an epoch of its own
  Slots,          \* "kept" | "given away": an unreachable node no longer counts
  Obeys,          \* "the highest" | "anyone"
  Hints,          \* a direct command: "checked" against desired, so only a hint | "believed"
  ConfirmsWhen,   \* "soaked" | "soaking"
  AppliesWhen     \* "staged" | "asked"

VARIABLES highestEpoch, ctl, driver, desired, node, report, cut,
  hints \* direct commands to nodes: they arrive late, in any order, again, or never
vars == <<highestEpoch, ctl, driver, desired, node, report, cut, hints>>

Nothing == [goal |-> "none", epoch |-> 0]

(* ---------------------------------------------------------------------------- the control record *)

In(states) == {n \in Nodes : ctl.progress[n] \in states}
InFlight == In({"staging", "applied", "confirming"})
Unreachable == In({"unreachable"})
\* The nodes that may still run the release unconfirmed because of an earlier decision.
Committed == In({"applied", "unreachable", "confirming"})

HasFreeSlot ==
  /\ Cardinality(InFlight) < BatchSize
  /\ Slots = "kept" => Cardinality(InFlight \cup Unreachable) < BatchSize + MaxUnavailable

CanGiveUp == Slots = "given away" \/ Cardinality(Unreachable) < MaxUnavailable

TooMany == Cardinality(In({"failed"})) >= MaxFailed
Forward == ctl.state = "rolling" /\ ~TooMany

\* What each node should reach: a function of the record, so sending it twice is harmless.
Goal(n) ==
  IF ctl.state = "rolling"
  THEN CASE ctl.progress[n] = "staging" -> "staged"
         [] ctl.progress[n] \in {"applied", "unreachable"} -> "applied"
         [] ctl.progress[n] = "confirming" -> "confirmed"
         [] OTHER -> "none"
  ELSE IF ctl.state = "aborting" /\ n \in Committed THEN "back" ELSE "none"

(* ------------------------------------------------------------------------------------ the drivers *)

Leads(d) == driver[d].claim # 0 /\ driver[d].claim = ctl.epoch
IsUnfinished == ctl.state \in {"rolling", "aborting"}

NoNewerClaim == \A d \in Drivers : driver[d].claim <= ctl.epoch

\* By creating a key, so each epoch has one owner. One epoch always remains for an abort.
Claim(d) ==
  /\ IsUnfinished
  /\ \/ highestEpoch < MaxEpoch
     \/ ctl.state = "rolling" /\ "abort" \in Faults /\ highestEpoch = MaxEpoch
     \/ ctl.state = "rolling" /\ TooMany /\ NoNewerClaim
  /\ highestEpoch' = highestEpoch + 1
  /\ driver' = [driver EXCEPT ![d].claim = highestEpoch + 1]
  /\ UNCHANGED <<ctl, desired, node, report, cut, hints>>

\* A driver that adopts a rollout that must go back makes it go back at once.
Adopt(d) ==
  /\ ctl.state = "aborting" \/ Forward
  /\ driver[d].claim > ctl.epoch
  /\ ctl' = [ctl EXCEPT !.epoch = driver[d].claim]
  /\ UNCHANGED <<highestEpoch, driver, desired, node, report, cut, hints>>

\* By order of an operator, or because too many nodes failed. The new epoch fences late messages.
Abort(d) ==
  /\ ctl.state = "rolling" /\ (TooMany \/ "abort" \in Faults)
  /\ IF AbortClaims THEN driver[d].claim > ctl.epoch ELSE Leads(d)
  /\ ctl' = [ctl EXCEPT !.epoch = driver[d].claim, !.state = "aborting", !.abort = driver[d].claim]
  /\ UNCHANGED <<highestEpoch, driver, desired, node, report, cut, hints>>

Moves(d, n, from, to) ==
  /\ Leads(d) /\ ctl.progress[n] \in from
  /\ ctl' = [ctl EXCEPT !.progress[n] = to]
  /\ UNCHANGED <<highestEpoch, driver, desired, node, report, cut, hints>>

Stage(d, n) == Forward /\ HasFreeSlot /\ Moves(d, n, {"pending"}, "staging")
Apply(d, n) ==
  /\ Forward /\ (AppliesWhen = "staged" => report[n].phase = "staged")
  /\ Moves(d, n, {"staging"}, "applied")
GiveUp(d, n) == Forward /\ cut[n] /\ CanGiveUp /\ Moves(d, n, {"applied", "confirming"}, "unreachable")
Confirm(d, n) ==
  /\ Forward /\ report[n].phase = ConfirmsWhen
  /\ Moves(d, n, {"applied", "unreachable"}, "confirming")

\* How a node ended, by its own report.
Outcome(n) == CASE report[n].phase = "confirmed" -> "confirmed"
                [] report[n].phase = "back" /\ report[n].reason = "sick" -> "failed"
                [] report[n].phase = "back" /\ report[n].reason = "late" -> "missed"
                [] OTHER -> "back"

RecordOutcome(d, n) ==
  /\ ctl.state = "rolling" /\ report[n].phase \in {"confirmed", "back"}
  /\ Moves(d, n, {"applied", "unreachable", "confirming"}, Outcome(n))

Acknowledged(n) ==
  IF AbortWhen = "acknowledged" THEN report[n].seen >= ctl.abort
  ELSE desired[n].goal = "back" /\ desired[n].epoch >= ctl.abort

RecordStop(d, n) ==
  /\ ctl.state = "aborting" /\ Acknowledged(n)
  /\ Moves(d, n, {"applied", "unreachable", "confirming"}, Outcome(n))

Finish(d) ==
  /\ Leads(d) /\ IsUnfinished
  /\ IF ctl.state = "rolling" THEN In({"confirmed", "missed", "failed"}) = Nodes /\ ~TooMany
                              ELSE Committed = {}
  /\ ctl' = [ctl EXCEPT !.state = IF @ = "rolling" THEN "completed" ELSE "aborted"]
  /\ UNCHANGED <<highestEpoch, driver, desired, node, report, cut, hints>>

Send(d, n) ==
  /\ Leads(d) /\ driver[d].outbox = {} /\ Goal(n) # "none"
  /\ desired[n] # [goal |-> Goal(n), epoch |-> ctl.epoch]
  /\ driver' = [driver EXCEPT ![d].outbox = {[n |-> n, goal |-> Goal(n), epoch |-> ctl.epoch]}]
  /\ hints' = IF Hints = "checked" THEN hints ELSE hints \cup driver'[d].outbox
  /\ UNCHANGED <<highestEpoch, ctl, desired, node, report, cut>>

Deliver(d) ==
  /\ \E m \in driver[d].outbox :
       desired' = IF Write = "put" \/ m.epoch >= desired[m.n].epoch
                  THEN [desired EXCEPT ![m.n] = [goal |-> m.goal, epoch |-> m.epoch]]
                  ELSE desired
  /\ driver' = [driver EXCEPT ![d].outbox = {}]
  /\ UNCHANGED <<highestEpoch, ctl, node, report, cut, hints>>

Lose(d) ==
  /\ "loss" \in Faults /\ driver[d].outbox # {}
  /\ driver' = [driver EXCEPT ![d].outbox = {}]
  /\ UNCHANGED <<highestEpoch, ctl, desired, node, report, cut, hints>>

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

OrdersFor(n) == {desired[n]} \cup {[goal |-> m.goal, epoch |-> m.epoch] : m \in {w \in hints : w.n = n}}

\* A node may act on an order long after reading it; reading again replaces the earlier order.
Read(n) ==
  /\ ~cut[n]
  /\ \E m \in OrdersFor(n) \ ({Nothing} \cup node[n].pendingOrder) :
       After(n, m) # node[n] /\ node' = [node EXCEPT ![n].pendingOrder = {m}]
  /\ UNCHANGED <<highestEpoch, ctl, driver, desired, report, cut, hints>>

Act(n) ==
  /\ \E m \in node[n].pendingOrder : node' = [node EXCEPT ![n] = [After(n, m) EXCEPT !.pendingOrder = {}]]
  /\ UNCHANGED <<highestEpoch, ctl, driver, desired, report, cut, hints>>

Soak(n) ==
  /\ node[n].phase = "soaking" /\ ~cut[n]
  /\ node' = [node EXCEPT ![n].phase = "soaked"]
  /\ UNCHANGED <<highestEpoch, ctl, driver, desired, report, cut, hints>>

RollBack(n, reason) ==
  /\ node[n].phase \in {"soaking", "soaked"}
  /\ node' = [node EXCEPT ![n].phase = "back", ![n].reason = reason]
  /\ UNCHANGED <<highestEpoch, ctl, driver, desired, report, cut, hints>>

BecomeUnhealthy(n) == "sick" \in Faults /\ RollBack(n, "sick")
Deadline(n) == ("late" \in Faults \/ cut[n]) /\ RollBack(n, "late")

CurrentReport(n) == [phase |-> node[n].phase, reason |-> node[n].reason, seen |-> node[n].seen]
Report(n) ==
  /\ ~cut[n] /\ report[n] # CurrentReport(n)
  /\ report' = [report EXCEPT ![n] = CurrentReport(n)]
  /\ UNCHANGED <<highestEpoch, ctl, driver, desired, node, cut, hints>>

Cut(n) ==
  /\ "cut" \in Faults
  /\ cut' = [cut EXCEPT ![n] = ~@]
  /\ UNCHANGED <<highestEpoch, ctl, driver, desired, node, report, hints>>

(* ------------------------------------------------------------------------------------- the system *)

Init ==
  /\ highestEpoch = 0
  /\ ctl = [epoch |-> 0, state |-> "rolling", abort |-> 0, progress |-> [n \in Nodes |-> "pending"]]
  /\ driver = [d \in Drivers |-> [claim |-> 0, outbox |-> {}]]
  /\ desired = [n \in Nodes |-> Nothing]
  /\ node = [n \in Nodes |-> [phase |-> "idle", reason |-> "none", seen |-> 0, pendingOrder |-> {}]]
  /\ report = [n \in Nodes |-> CurrentReport(n)]
  /\ cut = [n \in Nodes |-> FALSE]
  /\ hints = {}

Decide(d, n) ==
  Stage(d, n) \/ Apply(d, n) \/ GiveUp(d, n) \/ Confirm(d, n) \/ RecordOutcome(d, n) \/ RecordStop(d, n)
DriverStep(d) ==
  \/ Claim(d) \/ Adopt(d) \/ Abort(d) \/ Finish(d) \/ Deliver(d) \/ Lose(d)
  \/ \E n \in Nodes : Decide(d, n) \/ Send(d, n)
NodeStep(n) ==
  Read(n) \/ Act(n) \/ Soak(n) \/ BecomeUnhealthy(n) \/ Deadline(n) \/ Report(n) \/ Cut(n)

Next == (\E d \in Drivers : DriverStep(d)) \/ (\E n \in Nodes : NodeStep(n))
Spec == Init /\ [][Next]_vars

\* Some driver leads and continues; messages are not lost for ever; in the end no node is cut off.
Fair ==
  /\ WF_vars(\E d \in Drivers : highestEpoch = 0 /\ Claim(d))
  /\ WF_vars(\E d \in Drivers : TooMany /\ NoNewerClaim /\ Claim(d))
  /\ WF_vars(\E d \in Drivers : Adopt(d) \/ (TooMany /\ Abort(d)))
  /\ \A d \in Drivers : WF_vars(Finish(d)) /\ SF_vars(Deliver(d))
  /\ \A d \in Drivers, n \in Nodes : WF_vars(Decide(d, n)) /\ SF_vars(Send(d, n))
  /\ \A n \in Nodes : WF_vars(Read(n)) /\ WF_vars(Act(n)) /\ WF_vars(Report(n)) /\ WF_vars(Soak(n))
  /\ \A n \in Nodes : <>[]~cut[n]

FairSpec == Spec /\ Fair

(* --------------------------------------------------------------------------------- the properties *)

Unconfirmed == {n \in Nodes : node[n].phase \in {"soaking", "soaked"}}

\* I6, P7: a limited number of nodes runs an unconfirmed release, reachable or not.
Bounded == Cardinality(Unconfirmed) <= BatchSize + MaxUnavailable

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
  \A n \in Nodes : ctl.progress[n] = "applied" => node[n].phase # "idle"

\* I1, R13: a node counts as failed only by its own report.
FailedIsUnhealthy == \A n \in In({"failed"}) : node[n].reason = "sick"

\* After a completed rollout no node runs the release unconfirmed.
OverIsOver == ctl.state = "completed" => Unconfirmed = {}

Ends == <>(ctl.state \in {"completed", "aborted"})
=============================================================================
