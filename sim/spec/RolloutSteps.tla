---------------------------- MODULE RolloutSteps ----------------------------
(* A rollout with the steps of the production classes: one observation of a driver is one step, in     *)
(* which every node moves as far as it may. Attempts, nodes that come late, aborts and rollbacks       *)
(* are modelled. Waits are not, because no time passes: a soak is one probe, and a deadline is a fault *)
(* like any other.                                                                                     *)
(*                                                                                                     *)
(* Rollout.tla checks more properties with less detail. This model has as many states as the explorer  *)
(* finds in the classes, so that a change of only one side shows.                                      *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Batches,        \* nodes 1 to Batches have one batch each
  Offline,        \* the number of further nodes, which were offline when the plan was made
  Drivers,
  BatchSize, MaxUnavailable, MaxFailed, MaxLateNodes,
  MaxFaults, MaxAborts, MaxRollbacks

VARIABLES ctl, decision, desired, node, driver, faults, aborts, rollbacks
vars == <<ctl, decision, desired, node, driver, faults, aborts, rollbacks>>

Nodes == 1..(Batches + Offline)
MaxAttempts == 5
MaxInFlight == BatchSize + MaxUnavailable

Unlisted == [progress |-> "unlisted", attempt |-> 0]
Nothing == [goal |-> "none", attempt |-> 0, epoch |-> 0, decision |-> 0]
NoReport == [attempt |-> 0, phase |-> "none", reason |-> "none", epoch |-> 0, new |-> FALSE]
NoStopOrder == [goal |-> "none", fence |-> 0, cause |-> "none"]

InFlightStates == {"applying", "confirming"}
Unfinished == InFlightStates \cup {"waiting", "preparing"}
Terminal == {"confirmed", "rolled back", "reverted"}

Count(c, standings) == Cardinality({n \in Nodes : c.entry[n].progress \in standings})

(* --------------------------------------------------------------------- what a driver sees of nodes *)

\* The present nodes, their reports, and the nodes that passed preflight. A driver that has not looked sees none.
Observation(eligible) ==
  [observed |-> TRUE, present |-> {n \in Nodes : ~node[n].cut},
   report |-> [n \in Nodes |-> node[n].report], eligible |-> eligible]
NoObservation == [observed |-> FALSE, present |-> {}, report |-> [n \in Nodes |-> NoReport], eligible |-> {}]

Current(c) == IF c.passed < Batches THEN {c.passed + 1} ELSE {}

Candidates(c) ==
  {n \in Nodes : IF c.entry[n] = Unlisted THEN n \in Current(c) \/ n > Batches
                                          ELSE c.entry[n].progress \in {"waiting", "offline"}}

\* Whether a node reports one of the phases, in its current attempt.
HasReported(c, s, n, phases) == s.report[n].attempt = c.entry[n].attempt /\ s.report[n].phase \in phases

(* ---------------------------------------------------------------------- a rollout that goes forward *)

NextAttempt(p) ==
  IF p.attempt < MaxAttempts THEN [progress |-> "waiting", attempt |-> p.attempt + 1]
                          ELSE [p EXCEPT !.progress = "lost"]

Outcome(p, report) ==
  CASE report.phase = "confirmed" -> [p EXCEPT !.progress = "confirmed"]
    [] report.reason = "unhealthy" -> [p EXCEPT !.progress = "failed"]
    [] OTHER -> NextAttempt(p)

AfterReport(c, s, n) ==
  LET p == c.entry[n] IN
  CASE p.progress \in {"preparing"} \cup InFlightStates /\ HasReported(c, s, n, Terminal) -> Outcome(p, s.report[n])
    [] p.progress = "applying" /\ HasReported(c, s, n, {"soaked"}) -> [p EXCEPT !.progress = "confirming"]
    [] OTHER -> p

Unreachable(c, s) ==
  {n \in Nodes \ s.present :
     \/ c.entry[n].progress \in Unfinished \cup {"lost"}
     \/ c.entry[n] = Unlisted /\ n \in Current(c)}
  \cup {n \in Nodes : c.entry[n].progress = "lost"}
TooManyUnreachable(c, s) == Cardinality(Unreachable(c, s)) > MaxUnavailable

Preparing(c, s) == {n \in s.present : c.entry[n].progress = "preparing"}
InFlight(c) == {n \in Nodes : c.entry[n].progress \in InFlightStates}
ReachableInFlight(c, s) == InFlight(c) \cap s.present
LateInFlight(c, s) == (InFlight(c) \cup Preparing(c, s)) \ Current(c)

HasFreeSlot(c, s) == Cardinality(ReachableInFlight(c, s)) < BatchSize /\ Cardinality(InFlight(c)) < MaxInFlight
CanStart(c, s, n) ==
  /\ Cardinality(Preparing(c, s)) + Cardinality(ReachableInFlight(c, s)) < BatchSize
  /\ Cardinality(Preparing(c, s)) + Cardinality(InFlight(c)) < MaxInFlight
  /\ n \in Current(c) \/ Cardinality(LateInFlight(c, s)) < MaxLateNodes

WithProgress(c, n, progress) ==
  [c EXCEPT !.entry[n] = [progress |-> progress, attempt |-> IF @ = Unlisted THEN 1 ELSE @.attempt]]

\* In the order of the nodes, while slots are free.
RECURSIVE WithApplies(_, _, _)
WithApplies(c, s, n) ==
  IF n \notin Nodes THEN c
  ELSE LET ready ==
             /\ c.entry[n].progress = "preparing" /\ n \in s.present /\ HasFreeSlot(c, s)
             /\ HasReported(c, s, n, {"staged", "applying", "soaking", "soaked"})
       IN WithApplies(IF ready THEN WithProgress(c, n, "applying") ELSE c, s, n + 1)

RECURSIVE WithStarts(_, _, _, _)
WithStarts(c, s, from, n) ==
  IF n \notin Nodes THEN c
  ELSE LET isAllowed ==
             /\ c.entry[n].progress = from /\ n \in s.present \cap s.eligible /\ CanStart(c, s, n)
             /\ from = "unlisted" => n \in Current(c)
             /\ from = "offline" => c.passed > 0
       IN WithStarts(IF isAllowed THEN WithProgress(c, n, "preparing") ELSE c, s, from, n + 1)

WithNewWork(c, s) ==
  IF TooManyUnreachable(c, s) THEN c
  ELSE WithStarts(WithStarts(WithStarts(WithApplies(c, s, 1), s, "unlisted", 1), s, "waiting", 1), s, "offline", 1)

IsUnfinished(c, s, n) == n \in s.present /\ c.entry[n].progress \in Unfinished \cup {"unlisted"}

WithBatchPassed(c) ==
  LET n == c.passed + 1
      p == IF c.entry[n] = Unlisted THEN [progress |-> "waiting", attempt |-> 1] ELSE c.entry[n]
  IN [c EXCEPT !.passed = @ + 1, !.kept = @ + 1,
               !.entry[n] = IF p = [progress |-> "confirmed", attempt |-> 1] THEN Unlisted ELSE p]

RECURSIVE Advanced(_, _)
Advanced(c, s) ==
  LET after == WithNewWork(c, s)
      through == /\ after.passed < Batches /\ ~TooManyUnreachable(after, s)
                 /\ \A n \in Current(after) : ~IsUnfinished(after, s, n)
  IN IF through THEN Advanced(WithBatchPassed(after), s) ELSE after

\* A late node that is seen for the first time is listed.
WithLateNodes(c, s) ==
  [c EXCEPT !.entry = [n \in Nodes |->
     IF n > Batches /\ @[n] = Unlisted /\ n \in s.present \cap s.eligible
     THEN [progress |-> "offline", attempt |-> 1] ELSE @[n]]]

IsComplete(c, s) ==
  /\ c.passed = Batches /\ ~TooManyUnreachable(c, s) /\ Count(c, Unfinished \cup {"offline"}) = 0
  /\ \A n \in Nodes : n > Batches => c.entry[n] # Unlisted

Recalled(p, goal) ==
  CASE p.progress = "preparing" -> [p EXCEPT !.progress = "recalled"]
    [] p.progress \in InFlightStates -> [p EXCEPT !.progress = "recalling"]
    [] p.progress = "lost" /\ goal = "reverted" -> [p EXCEPT !.progress = "reverting"]
    [] OTHER -> p

Stopping(c, goal, fence, cause) ==
  [c EXCEPT !.state = "aborting", !.stopOrder = [goal |-> goal, fence |-> fence, cause |-> cause],
            !.entry = [n \in Nodes |-> Recalled(@[n], goal)]]

RollingRound(c, s) ==
  LET reported == [c EXCEPT !.entry = [n \in Nodes |-> AfterReport(c, s, n)]]
      advanced == Advanced(WithLateNodes(reported, s), s)
  IN IF Count(reported, {"failed"}) >= MaxFailed THEN Stopping(reported, "back", c.epoch + 1, "failures")
     ELSE IF IsComplete(advanced, s) THEN [advanced EXCEPT !.state = "completed"] ELSE advanced

(* ------------------------------------------------------------------------- a rollout that goes back *)

ShouldClaim(c) == c.state = "created" \/ (c.state = "aborting" /\ c.epoch < c.stopOrder.fence)

\* A node that has obeyed a driver of the stop and has reached a final phase.
AfterStop(c, s, n) ==
  LET p == c.entry[n]
      confirmed == s.report[n].phase = "confirmed"
  IN IF s.report[n].epoch < c.stopOrder.fence \/ s.report[n].phase \notin Terminal THEN p
     ELSE CASE p.progress = "recalling" -> [p EXCEPT !.progress = IF confirmed THEN "confirmed" ELSE "recalled"]
            [] p.progress = "reverting" /\ ~confirmed -> [p EXCEPT !.progress = "reverted"]
            [] OTHER -> p

RECURSIVE Reverting(_, _)
Reverting(c, n) ==
  IF n \notin Nodes THEN c
  ELSE LET isAllowed == c.entry[n].progress = "confirmed" /\ Count(c, {"reverting"}) < MaxInFlight
       IN Reverting(IF isAllowed THEN WithProgress(c, n, "reverting") ELSE c, n + 1)

\* Nodes listed as confirmed go first, then the last batch that still has the release.
Reverted(c) ==
  IF Count(c, {"confirmed"}) > 0 THEN Reverting(c, 1)
  ELSE IF c.kept > 0 /\ c.entry[c.kept] = Unlisted /\ Count(c, {"reverting"}) < MaxInFlight
       THEN WithProgress(c, c.kept, "reverting") ELSE c

RECURSIVE Undone(_)
Undone(c) ==
  LET after == Reverted(c)
      undone == /\ after.kept > 0
                /\ after.entry[after.kept].progress \notin {"unlisted", "confirmed", "reverting"}
      rest == [after EXCEPT !.kept = @ - 1,
                 !.entry[after.kept] =
                   IF @ = [progress |-> "reverted", attempt |-> 1] THEN Unlisted ELSE @]
  IN IF undone THEN Undone(rest) ELSE after

StoppingRound(c, s) ==
  LET stopped == [c EXCEPT !.entry = [n \in Nodes |-> AfterStop(c, s, n)]]
      back == IF c.stopOrder.goal = "reverted" THEN Undone(stopped) ELSE stopped
      over == /\ Count(back, {"recalling", "reverting"}) = 0
              /\ c.stopOrder.goal = "reverted" => back.kept = 0 /\ Count(back, {"confirmed"}) = 0
  IN IF ~over THEN back
     ELSE IF c.stopOrder.goal = "reverted" THEN [back EXCEPT !.state = "rolled back", !.stopOrder = NoStopOrder]
     ELSE [back EXCEPT !.state = "aborted", !.stopOrder = [NoStopOrder EXCEPT !.cause = c.stopOrder.cause]]

(* ------------------------------------------------------------------------------ one round of a driver *)

Round(c, s) ==
  CASE c.state = "rolling" -> IF s.observed THEN RollingRound(c, s) ELSE c
    [] c.state = "aborting" -> IF ShouldClaim(c) THEN c ELSE StoppingRound(c, s)
    [] OTHER -> c

RECURSIVE Settled(_, _)
Settled(c, s) == LET next == Round(c, s) IN IF next = c THEN c ELSE Settled(next, s)

Ended(c) == c.state \in {"completed", "aborted", "rolled back"}

Claimed(c, epoch) ==
  Settled([c EXCEPT !.epoch = epoch, !.state = IF @ = "created" THEN "rolling" ELSE @], NoObservation)

Stop(c, epoch, goal) == Settled(Stopping([c EXCEPT !.epoch = epoch], goal, epoch, "operator"), NoObservation)

AbortOrdered(c, epoch) ==
  CASE c.state = "created" ->
         [c EXCEPT !.epoch = epoch, !.state = "aborted", !.stopOrder = [NoStopOrder EXCEPT !.cause = "operator"]]
    [] c.state = "rolling" -> Stop(c, epoch, "back")
    [] OTHER -> c

RollbackOrdered(c, epoch) ==
  CASE c.state = "created" -> [c EXCEPT !.epoch = epoch, !.state = "rolled back"]
    [] c.state = "rolled back" \/ (c.state = "aborting" /\ c.stopOrder.goal = "reverted") -> c
    [] OTHER -> Stop(c, epoch, "reverted")

\* What each node should reach; confirmed and reverted nodes need no further order.
Goal(c, n) ==
  LET progress == c.entry[n].progress IN
  IF ShouldClaim(c) THEN "none"
  ELSE CASE progress = "preparing" -> "staged"
         [] progress = "applying" -> "applied"
         [] progress = "confirming" -> "confirmed"
         [] progress \in {"failed", "lost", "recalling", "recalled"} -> "back"
         [] progress = "reverting" -> "reverted"
         [] OTHER -> "none"

(* ------------------------------------------------------------------------------------ the drivers *)

Leads(d) == driver[d].claim > 0 /\ driver[d].claim = ctl.epoch
Empty == [n \in Nodes |-> Nothing]

Highest(epochs) == CHOOSE e \in epochs : \A other \in epochs : e >= other
NextEpoch == Highest({ctl.epoch} \cup {driver[d].claim : d \in Drivers}) + 1

Commits(next) ==
  /\ ctl' = next
  /\ decision' = IF next = ctl THEN decision ELSE decision + 1

Claim(d) ==
  /\ ~Ended(ctl)
  /\ \/ ShouldClaim(ctl) /\ faults' = faults
     \/ ~ShouldClaim(ctl) /\ ~Leads(d) /\ faults > 0 /\ faults' = faults - 1
  /\ Commits(Claimed(ctl, NextEpoch))
  /\ driver' = [driver EXCEPT ![d].claim = NextEpoch]
  /\ UNCHANGED <<desired, node, aborts, rollbacks>>

Abort(d) ==
  /\ ~Ended(ctl) /\ aborts > 0 /\ aborts' = aborts - 1
  /\ Commits(AbortOrdered(ctl, NextEpoch))
  /\ driver' = [driver EXCEPT ![d].claim = NextEpoch]
  /\ UNCHANGED <<desired, node, faults, rollbacks>>

Rollback(d) ==
  /\ ctl.state # "rolled back" /\ rollbacks > 0 /\ rollbacks' = rollbacks - 1
  /\ Commits(RollbackOrdered(ctl, NextEpoch))
  /\ driver' = [driver EXCEPT ![d].claim = NextEpoch]
  /\ UNCHANGED <<desired, node, faults, aborts>>

Order(c, d, n) ==
  [goal |-> Goal(c, n), attempt |-> c.entry[n].attempt, epoch |-> driver[d].claim, decision |-> decision']

PendingWrite(c, d, n) ==
  LET o == Order(c, d, n) IN
  IF o.goal = "none" \/ [desired[n] EXCEPT !.decision = 0] = [o EXCEPT !.decision = 0] THEN Nothing ELSE o

Decide(d) ==
  /\ ~Ended(ctl) /\ Leads(d) /\ driver[d].outbox = Empty
  /\ Commits(Settled(ctl, Observation(Candidates(ctl))))
  /\ driver' = [driver EXCEPT ![d].outbox = [n \in Nodes |-> PendingWrite(ctl', d, n)]]
  /\ UNCHANGED <<desired, node, faults, aborts, rollbacks>>

\* Never over a higher epoch, nor over a later decision of the same epoch.
CanReplace(o, stored) ==
  o.epoch > stored.epoch \/ (o.epoch = stored.epoch /\ o.decision >= stored.decision)

Write(d, n) ==
  /\ driver[d].outbox[n] # Nothing
  /\ desired' = [desired EXCEPT ![n] = IF CanReplace(driver[d].outbox[n], @) THEN driver[d].outbox[n] ELSE @]
  /\ driver' = [driver EXCEPT ![d].outbox[n] = Nothing]
  /\ UNCHANGED <<ctl, decision, node, faults, aborts, rollbacks>>

Lose(d) ==
  /\ driver[d].outbox # Empty /\ faults > 0 /\ faults' = faults - 1
  /\ driver' = [driver EXCEPT ![d].outbox = Empty]
  /\ UNCHANGED <<ctl, decision, desired, node, aborts, rollbacks>>

(* -------------------------------------------------------------------------------------- the nodes *)

Runs(it) == it.phase \in {"soaking", "soaked", "confirmed"}
            \/ (it.phase = "rolling back" /\ it.undo # "discard")
RollbackReason(it) == IF it.phase = "reverted" THEN "ordered" ELSE it.reason
Report(it) ==
  IF it.phase = "idle" THEN NoReport
  ELSE [attempt |-> it.attempt, phase |-> IF it.phase = "judged" THEN "applying" ELSE it.phase,
        reason |-> RollbackReason(it), epoch |-> it.epoch, new |-> Runs(it)]

\* A connected node reports at once.
WithNewReport(n, next) == [next EXCEPT !.report = IF next.cut THEN node[n].report ELSE Report(next)]

RollingBack(it, undo, reason) ==
  [it EXCEPT !.phase = "rolling back", !.undo = undo, !.reason = reason]

Unconfirmed == {"applying", "judged", "soaking", "soaked"}

GoBack(it) ==
  CASE it.phase \in {"preparing", "staged"} -> RollingBack(it, "discard", "ordered")
    [] it.phase \in Unconfirmed -> RollingBack(it, "swap", "ordered")
    [] OTHER -> it

AfterGoal(it, goal) ==
  CASE goal = "applied" /\ it.phase = "staged" -> [it EXCEPT !.phase = "applying"]
    [] goal = "confirmed" /\ it.phase = "soaked" -> [it EXCEPT !.phase = "confirmed"]
    [] goal = "reverted" /\ it.phase = "confirmed" -> RollingBack(it, "revert", "ordered")
    [] goal \in {"back", "reverted"} -> GoBack(it)
    [] OTHER -> it

FirstOrder(it, o) ==
  CASE o.goal \in {"staged", "applied"} ->
         [it EXCEPT !.phase = "preparing", !.attempt = o.attempt, !.epoch = o.epoch]
    [] o.goal = "confirmed" -> it
    [] OTHER -> [it EXCEPT !.phase = "rolled back", !.attempt = o.attempt, !.epoch = o.epoch,
                           !.reason = "ordered", !.turned = TRUE]

\* A later attempt begins when nothing of this attempt runs unconfirmed.
Retried(it, o) ==
  CASE it.turned \/ o.goal = "confirmed" -> it
    [] it.phase \in {"preparing", "staged", "rolled back"} ->
         [it EXCEPT !.phase = "preparing", !.attempt = o.attempt, !.reason = "none", !.undo = "none"]
    [] it.phase = "confirmed" -> [it EXCEPT !.attempt = o.attempt]
    [] OTHER -> it

Max(a, b) == IF a > b THEN a ELSE b

AfterOrder(it, o) ==
  LET goesBack == o.goal \in {"back", "reverted"}
      informed == [it EXCEPT !.epoch = o.epoch, !.turned = @ \/ goesBack]
  IN IF goesBack THEN AfterGoal([informed EXCEPT !.attempt = Max(@, o.attempt)], o.goal)
     ELSE IF o.attempt = it.attempt THEN AfterGoal(informed, o.goal)
     ELSE IF o.attempt > it.attempt THEN Retried(informed, o) ELSE informed

Obeyed(it, o) ==
  IF it.phase = "idle" THEN FirstOrder(it, o) ELSE IF o.epoch < it.epoch THEN it ELSE AfterOrder(it, o)

OthersUnchanged == UNCHANGED <<ctl, decision, desired, driver, aborts, rollbacks>>
ChangeNode(n, next) == node' = [node EXCEPT ![n] = WithNewReport(n, next)] /\ OthersUnchanged

\* A node may act on an order long after reading it; reading again replaces the earlier order.
Read(n) ==
  /\ desired[n] # Nothing /\ ~node[n].cut /\ desired[n] # node[n].pending
  /\ Obeyed(node[n], desired[n]) # node[n]
  /\ node' = [node EXCEPT ![n].pending = desired[n]]
  /\ OthersUnchanged /\ UNCHANGED faults

Act(n) ==
  /\ node[n].pending # Nothing
  /\ ChangeNode(n, [Obeyed(node[n], node[n].pending) EXCEPT !.pending = Nothing]) /\ UNCHANGED faults

AfterWork(it) ==
  CASE it.phase = "preparing" -> [it EXCEPT !.phase = "staged"]
    [] it.phase = "applying" -> [it EXCEPT !.phase = "judged"]
    [] it.phase = "judged" -> [it EXCEPT !.phase = "soaking"]
    [] it.phase = "soaking" /\ ~it.cut -> [it EXCEPT !.phase = "soaked"]
    [] it.phase = "rolling back" /\ it.undo = "revert" ->
         [it EXCEPT !.phase = "reverted", !.undo = "none", !.reason = "none"]
    [] it.phase = "rolling back" -> [it EXCEPT !.phase = "rolled back", !.undo = "none"]
    [] OTHER -> it

Work(n) == AfterWork(node[n]) # node[n] /\ ChangeNode(n, AfterWork(node[n])) /\ UNCHANGED faults

Fault(n, next) == faults > 0 /\ faults' = faults - 1 /\ ChangeNode(n, next)
CutOff(n) == ~node[n].cut /\ Fault(n, [node[n] EXCEPT !.cut = TRUE])
Overdue(n) == node[n].phase \in Unconfirmed /\ Fault(n, RollingBack(node[n], "swap", "unconfirmed"))
BecomeUnhealthy(n) ==
  node[n].phase \in {"soaking", "soaked"} /\ ~node[n].cut
  /\ Fault(n, RollingBack(node[n], "swap", "unhealthy"))
Reconnect(n) == node[n].cut /\ ChangeNode(n, [node[n] EXCEPT !.cut = FALSE]) /\ UNCHANGED faults

(* ------------------------------------------------------------------------------------- the system *)

Idle == [phase |-> "idle", undo |-> "none", reason |-> "none", attempt |-> 0, epoch |-> 0,
         turned |-> FALSE, pending |-> Nothing, cut |-> FALSE, report |-> NoReport]

Init ==
  /\ ctl = [state |-> "created", epoch |-> 0, passed |-> 0, kept |-> 0, stopOrder |-> NoStopOrder,
            entry |-> [n \in Nodes |-> Unlisted]]
  /\ decision = 0 /\ desired = Empty
  /\ node = [n \in Nodes |-> Idle]
  /\ driver = [d \in Drivers |-> [claim |-> 0, outbox |-> Empty]]
  /\ faults = MaxFaults /\ aborts = MaxAborts /\ rollbacks = MaxRollbacks

DriverStep(d) ==
  Claim(d) \/ Abort(d) \/ Rollback(d) \/ Decide(d) \/ Lose(d) \/ \E n \in Nodes : Write(d, n)
NodeStep(n) == Read(n) \/ Act(n) \/ Work(n) \/ CutOff(n) \/ Overdue(n) \/ BecomeUnhealthy(n) \/ Reconnect(n)

Next == (\E d \in Drivers : DriverStep(d)) \/ (\E n \in Nodes : NodeStep(n))
Spec == Init /\ [][Next]_vars

(* --------------------------------------------------------------------------------- the properties *)

CanRunUnconfirmed(n) ==
  node[n].phase \in Unconfirmed \/ (node[n].phase = "rolling back" /\ node[n].undo = "swap")

\* I6, P7: a limited number of nodes may run an unconfirmed release.
Bounded == Cardinality({n \in Nodes : CanRunUnconfirmed(n)}) <= MaxInFlight

\* I3: an aborted rollout is over, and a rolled back release runs nowhere.
StoppedIsOver ==
  /\ ctl.state \in {"aborted", "rolled back"} => \A n \in Nodes : node[n].phase \notin Unconfirmed
  /\ ctl.state = "rolled back" => \A n \in Nodes : node[n].phase # "confirmed"

\* R11: no node is ordered to run what it has not staged.
AppliedIsStaged ==
  \A n \in Nodes :
    ctl.entry[n].progress = "applying" /\ ctl.entry[n].attempt = node[n].attempt => node[n].phase # "preparing"

\* R12: an older driver does not overwrite an order that was obeyed.
InOrder == \A n \in Nodes : desired[n] # Nothing => desired[n].epoch >= node[n].epoch

\* I1, R13: a node fails by its own report.
FailedIsUnhealthy ==
  \A n \in Nodes :
    ctl.entry[n].progress = "failed" /\ ctl.entry[n].attempt = node[n].attempt
      => node[n].phase = "rolled back" /\ node[n].reason = "unhealthy"
=============================================================================
