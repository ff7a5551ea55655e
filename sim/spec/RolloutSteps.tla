---------------------------- MODULE RolloutSteps ----------------------------
(* A rollout with the steps of the production classes: one observation of a driver is one step, in     *)
(* which every node moves as far as it may. Attempts, the lane of offline nodes, aborts and rollbacks  *)
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
  BatchSize, MaxUnavailable, MaxFailed, Lane,
  MaxTroubles, MaxAborts, MaxRollbacks

VARIABLES ctl, decision, desired, node, driver, troubles, aborts, rollbacks
vars == <<ctl, decision, desired, node, driver, troubles, aborts, rollbacks>>

Nodes == 1..(Batches + Offline)
MaxTries == 5
Most == BatchSize + MaxUnavailable

Unlisted == [at |-> "unlisted", attempt |-> 0]
Nothing == [goal |-> "none", attempt |-> 0, epoch |-> 0, decision |-> 0]
Silent == [attempt |-> 0, phase |-> "none", setback |-> "none", epoch |-> 0, new |-> FALSE]
NoRecall == [goal |-> "none", fence |-> 0, cause |-> "none"]

Flying == {"applying", "confirming"}
Open == Flying \cup {"waiting", "preparing"}
Terminal == {"confirmed", "rolled back", "reverted"}

Count(c, standings) == Cardinality({n \in Nodes : c.place[n].at \in standings})

(* --------------------------------------------------------------------- what a driver sees of nodes *)

\* The present nodes, their reports, and the nodes that passed preflight. A driver that has not looked sees none.
Sight(asked) ==
  [looked |-> TRUE, present |-> {n \in Nodes : ~node[n].cut},
   said |-> [n \in Nodes |-> node[n].said], asked |-> asked]
Blind == [looked |-> FALSE, present |-> {}, said |-> [n \in Nodes |-> Silent], asked |-> {}]

Current(c) == IF c.passed < Batches THEN {c.passed + 1} ELSE {}

Candidates(c) ==
  {n \in Nodes : IF c.place[n] = Unlisted THEN n \in Current(c) \/ n > Batches
                                          ELSE c.place[n].at \in {"waiting", "offline"}}

\* Whether a node reports one of the phases, in its current attempt.
Says(c, s, n, phases) == s.said[n].attempt = c.place[n].attempt /\ s.said[n].phase \in phases

(* ---------------------------------------------------------------------- a rollout that goes forward *)

Again(p) ==
  IF p.attempt < MaxTries THEN [at |-> "waiting", attempt |-> p.attempt + 1]
                          ELSE [p EXCEPT !.at = "lost"]

Outcome(p, said) ==
  CASE said.phase = "confirmed" -> [p EXCEPT !.at = "confirmed"]
    [] said.setback = "unhealthy" -> [p EXCEPT !.at = "failed"]
    [] OTHER -> Again(p)

Judged(c, s, n) ==
  LET p == c.place[n] IN
  CASE p.at \in {"preparing"} \cup Flying /\ Says(c, s, n, Terminal) -> Outcome(p, s.said[n])
    [] p.at = "applying" /\ Says(c, s, n, {"soaked"}) -> [p EXCEPT !.at = "confirming"]
    [] OTHER -> p

Unreachable(c, s) ==
  {n \in Nodes \ s.present :
     \/ c.place[n].at \in Open \cup {"lost"}
     \/ c.place[n] = Unlisted /\ n \in Current(c)}
  \cup {n \in Nodes : c.place[n].at = "lost"}
Held(c, s) == Cardinality(Unreachable(c, s)) > MaxUnavailable

Preparing(c, s) == {n \in s.present : c.place[n].at = "preparing"}
InFlight(c) == {n \in Nodes : c.place[n].at \in Flying}
InSight(c, s) == InFlight(c) \cap s.present
InLane(c, s) == (InFlight(c) \cup Preparing(c, s)) \ Current(c)

RoomToFly(c, s) == Cardinality(InSight(c, s)) < BatchSize /\ Cardinality(InFlight(c)) < Most
RoomToStart(c, s, n) ==
  /\ Cardinality(Preparing(c, s)) + Cardinality(InSight(c, s)) < BatchSize
  /\ Cardinality(Preparing(c, s)) + Cardinality(InFlight(c)) < Most
  /\ n \in Current(c) \/ Cardinality(InLane(c, s)) < Lane

Moved(c, n, at) ==
  [c EXCEPT !.place[n] = [at |-> at, attempt |-> IF @ = Unlisted THEN 1 ELSE @.attempt]]

\* In the order of the nodes, while slots are free.
RECURSIVE Applied(_, _, _)
Applied(c, s, n) ==
  IF n \notin Nodes THEN c
  ELSE LET ready ==
             /\ c.place[n].at = "preparing" /\ n \in s.present /\ RoomToFly(c, s)
             /\ Says(c, s, n, {"staged", "applying", "soaking", "soaked"})
       IN Applied(IF ready THEN Moved(c, n, "applying") ELSE c, s, n + 1)

RECURSIVE Started(_, _, _, _)
Started(c, s, from, n) ==
  IF n \notin Nodes THEN c
  ELSE LET may ==
             /\ c.place[n].at = from /\ n \in s.present \cap s.asked /\ RoomToStart(c, s, n)
             /\ from = "unlisted" => n \in Current(c)
             /\ from = "offline" => c.passed > 0
       IN Started(IF may THEN Moved(c, n, "preparing") ELSE c, s, from, n + 1)

Proceeded(c, s) ==
  IF Held(c, s) THEN c
  ELSE Started(Started(Started(Applied(c, s, 1), s, "unlisted", 1), s, "waiting", 1), s, "offline", 1)

UnderWay(c, s, n) == n \in s.present /\ c.place[n].at \in Open \cup {"unlisted"}

Passed(c) ==
  LET n == c.passed + 1
      p == IF c.place[n] = Unlisted THEN [at |-> "waiting", attempt |-> 1] ELSE c.place[n]
  IN [c EXCEPT !.passed = @ + 1, !.kept = @ + 1,
               !.place[n] = IF p = [at |-> "confirmed", attempt |-> 1] THEN Unlisted ELSE p]

RECURSIVE Advanced(_, _)
Advanced(c, s) ==
  LET after == Proceeded(c, s)
      through == /\ after.passed < Batches /\ ~Held(after, s)
                 /\ \A n \in Current(after) : ~UnderWay(after, s, n)
  IN IF through THEN Advanced(Passed(after), s) ELSE after

\* A late node that is seen for the first time is listed.
Enlisted(c, s) ==
  [c EXCEPT !.place = [n \in Nodes |->
     IF n > Batches /\ @[n] = Unlisted /\ n \in s.present \cap s.asked
     THEN [at |-> "offline", attempt |-> 1] ELSE @[n]]]

IsComplete(c, s) ==
  /\ c.passed = Batches /\ ~Held(c, s) /\ Count(c, Open \cup {"offline"}) = 0
  /\ \A n \in Nodes : n > Batches => c.place[n] # Unlisted

Recalled(p, goal) ==
  CASE p.at = "preparing" -> [p EXCEPT !.at = "recalled"]
    [] p.at \in Flying -> [p EXCEPT !.at = "recalling"]
    [] p.at = "lost" /\ goal = "reverted" -> [p EXCEPT !.at = "reverting"]
    [] OTHER -> p

Stopping(c, goal, fence, cause) ==
  [c EXCEPT !.state = "aborting", !.recall = [goal |-> goal, fence |-> fence, cause |-> cause],
            !.place = [n \in Nodes |-> Recalled(@[n], goal)]]

Rolled(c, s) ==
  LET judged == [c EXCEPT !.place = [n \in Nodes |-> Judged(c, s, n)]]
      ahead == Advanced(Enlisted(judged, s), s)
  IN IF Count(judged, {"failed"}) >= MaxFailed THEN Stopping(judged, "back", c.epoch + 1, "failures")
     ELSE IF IsComplete(ahead, s) THEN [ahead EXCEPT !.state = "completed"] ELSE ahead

(* ------------------------------------------------------------------------- a rollout that goes back *)

WantsLead(c) == c.state = "created" \/ (c.state = "aborting" /\ c.epoch < c.recall.fence)

\* A node that has obeyed a driver of the stop and has reached a final phase.
Answered(c, s, n) ==
  LET p == c.place[n]
      confirmed == s.said[n].phase = "confirmed"
  IN IF s.said[n].epoch < c.recall.fence \/ s.said[n].phase \notin Terminal THEN p
     ELSE CASE p.at = "recalling" -> [p EXCEPT !.at = IF confirmed THEN "confirmed" ELSE "recalled"]
            [] p.at = "reverting" /\ ~confirmed -> [p EXCEPT !.at = "reverted"]
            [] OTHER -> p

RECURSIVE Reverting(_, _)
Reverting(c, n) ==
  IF n \notin Nodes THEN c
  ELSE LET may == c.place[n].at = "confirmed" /\ Count(c, {"reverting"}) < Most
       IN Reverting(IF may THEN Moved(c, n, "reverting") ELSE c, n + 1)

\* Nodes listed as confirmed go first, then the last batch that still has the release.
Reverted(c) ==
  IF Count(c, {"confirmed"}) > 0 THEN Reverting(c, 1)
  ELSE IF c.kept > 0 /\ c.place[c.kept] = Unlisted /\ Count(c, {"reverting"}) < Most
       THEN Moved(c, c.kept, "reverting") ELSE c

RECURSIVE Undone(_)
Undone(c) ==
  LET after == Reverted(c)
      undone == /\ after.kept > 0
                /\ after.place[after.kept].at \notin {"unlisted", "confirmed", "reverting"}
      rest == [after EXCEPT !.kept = @ - 1,
                 !.place[after.kept] =
                   IF @ = [at |-> "reverted", attempt |-> 1] THEN Unlisted ELSE @]
  IN IF undone THEN Undone(rest) ELSE after

Withdrawn(c, s) ==
  LET answered == [c EXCEPT !.place = [n \in Nodes |-> Answered(c, s, n)]]
      back == IF c.recall.goal = "reverted" THEN Undone(answered) ELSE answered
      over == /\ Count(back, {"recalling", "reverting"}) = 0
              /\ c.recall.goal = "reverted" => back.kept = 0 /\ Count(back, {"confirmed"}) = 0
  IN IF ~over THEN back
     ELSE IF c.recall.goal = "reverted" THEN [back EXCEPT !.state = "rolled back", !.recall = NoRecall]
     ELSE [back EXCEPT !.state = "aborted", !.recall = [NoRecall EXCEPT !.cause = c.recall.cause]]

(* ------------------------------------------------------------------------------ one round of a driver *)

Round(c, s) ==
  CASE c.state = "rolling" -> IF s.looked THEN Rolled(c, s) ELSE c
    [] c.state = "aborting" -> IF WantsLead(c) THEN c ELSE Withdrawn(c, s)
    [] OTHER -> c

RECURSIVE Settled(_, _)
Settled(c, s) == LET next == Round(c, s) IN IF next = c THEN c ELSE Settled(next, s)

Ended(c) == c.state \in {"completed", "aborted", "rolled back"}

Claimed(c, epoch) ==
  Settled([c EXCEPT !.epoch = epoch, !.state = IF @ = "created" THEN "rolling" ELSE @], Blind)

Stop(c, epoch, goal) == Settled(Stopping([c EXCEPT !.epoch = epoch], goal, epoch, "operator"), Blind)

AbortOrdered(c, epoch) ==
  CASE c.state = "created" ->
         [c EXCEPT !.epoch = epoch, !.state = "aborted", !.recall = [NoRecall EXCEPT !.cause = "operator"]]
    [] c.state = "rolling" -> Stop(c, epoch, "back")
    [] OTHER -> c

RollbackOrdered(c, epoch) ==
  CASE c.state = "created" -> [c EXCEPT !.epoch = epoch, !.state = "rolled back"]
    [] c.state = "rolled back" \/ (c.state = "aborting" /\ c.recall.goal = "reverted") -> c
    [] OTHER -> Stop(c, epoch, "reverted")

\* What each node should reach; confirmed and reverted nodes need no further order.
Goal(c, n) ==
  LET at == c.place[n].at IN
  IF WantsLead(c) THEN "none"
  ELSE CASE at = "preparing" -> "staged"
         [] at = "applying" -> "applied"
         [] at = "confirming" -> "confirmed"
         [] at \in {"failed", "lost", "recalling", "recalled"} -> "back"
         [] at = "reverting" -> "reverted"
         [] OTHER -> "none"

(* ------------------------------------------------------------------------------------ the drivers *)

Leads(d) == driver[d].lead > 0 /\ driver[d].lead = ctl.epoch
Empty == [n \in Nodes |-> Nothing]

Highest(epochs) == CHOOSE e \in epochs : \A other \in epochs : e >= other
NextEpoch == Highest({ctl.epoch} \cup {driver[d].lead : d \in Drivers}) + 1

Commits(next) ==
  /\ ctl' = next
  /\ decision' = IF next = ctl THEN decision ELSE decision + 1

Claim(d) ==
  /\ ~Ended(ctl)
  /\ \/ WantsLead(ctl) /\ troubles' = troubles
     \/ ~WantsLead(ctl) /\ ~Leads(d) /\ troubles > 0 /\ troubles' = troubles - 1
  /\ Commits(Claimed(ctl, NextEpoch))
  /\ driver' = [driver EXCEPT ![d].lead = NextEpoch]
  /\ UNCHANGED <<desired, node, aborts, rollbacks>>

Abort(d) ==
  /\ ~Ended(ctl) /\ aborts > 0 /\ aborts' = aborts - 1
  /\ Commits(AbortOrdered(ctl, NextEpoch))
  /\ driver' = [driver EXCEPT ![d].lead = NextEpoch]
  /\ UNCHANGED <<desired, node, troubles, rollbacks>>

Rollback(d) ==
  /\ ctl.state # "rolled back" /\ rollbacks > 0 /\ rollbacks' = rollbacks - 1
  /\ Commits(RollbackOrdered(ctl, NextEpoch))
  /\ driver' = [driver EXCEPT ![d].lead = NextEpoch]
  /\ UNCHANGED <<desired, node, troubles, aborts>>

Order(c, d, n) ==
  [goal |-> Goal(c, n), attempt |-> c.place[n].attempt, epoch |-> driver[d].lead, decision |-> decision']

Unwritten(c, d, n) ==
  LET o == Order(c, d, n) IN
  IF o.goal = "none" \/ [desired[n] EXCEPT !.decision = 0] = [o EXCEPT !.decision = 0] THEN Nothing ELSE o

Decide(d) ==
  /\ ~Ended(ctl) /\ Leads(d) /\ driver[d].out = Empty
  /\ Commits(Settled(ctl, Sight(Candidates(ctl))))
  /\ driver' = [driver EXCEPT ![d].out = [n \in Nodes |-> Unwritten(ctl', d, n)]]
  /\ UNCHANGED <<desired, node, troubles, aborts, rollbacks>>

\* Never over a higher epoch, nor over a later decision of the same epoch.
MayReplace(o, there) ==
  o.epoch > there.epoch \/ (o.epoch = there.epoch /\ o.decision >= there.decision)

Write(d, n) ==
  /\ driver[d].out[n] # Nothing
  /\ desired' = [desired EXCEPT ![n] = IF MayReplace(driver[d].out[n], @) THEN driver[d].out[n] ELSE @]
  /\ driver' = [driver EXCEPT ![d].out[n] = Nothing]
  /\ UNCHANGED <<ctl, decision, node, troubles, aborts, rollbacks>>

Lose(d) ==
  /\ driver[d].out # Empty /\ troubles > 0 /\ troubles' = troubles - 1
  /\ driver' = [driver EXCEPT ![d].out = Empty]
  /\ UNCHANGED <<ctl, decision, desired, node, aborts, rollbacks>>

(* -------------------------------------------------------------------------------------- the nodes *)

Runs(it) == it.phase \in {"soaking", "soaked", "confirmed"}
            \/ (it.phase = "rolling back" /\ it.undo # "discard")
Setback(it) == IF it.phase = "reverted" THEN "ordered" ELSE it.setback
Report(it) ==
  IF it.phase = "idle" THEN Silent
  ELSE [attempt |-> it.attempt, phase |-> IF it.phase = "judged" THEN "applying" ELSE it.phase,
        setback |-> Setback(it), epoch |-> it.epoch, new |-> Runs(it)]

\* A connected node reports at once.
Became(n, next) == [next EXCEPT !.said = IF next.cut THEN node[n].said ELSE Report(next)]

GoesBack(it, undo, setback) ==
  [it EXCEPT !.phase = "rolling back", !.undo = undo, !.setback = setback]

Unconfirmed == {"applying", "judged", "soaking", "soaked"}

Back(it) ==
  CASE it.phase \in {"preparing", "staged"} -> GoesBack(it, "discard", "ordered")
    [] it.phase \in Unconfirmed -> GoesBack(it, "swap", "ordered")
    [] OTHER -> it

Reached(it, goal) ==
  CASE goal = "applied" /\ it.phase = "staged" -> [it EXCEPT !.phase = "applying"]
    [] goal = "confirmed" /\ it.phase = "soaked" -> [it EXCEPT !.phase = "confirmed"]
    [] goal = "reverted" /\ it.phase = "confirmed" -> GoesBack(it, "revert", "ordered")
    [] goal \in {"back", "reverted"} -> Back(it)
    [] OTHER -> it

First(it, o) ==
  CASE o.goal \in {"staged", "applied"} ->
         [it EXCEPT !.phase = "preparing", !.attempt = o.attempt, !.epoch = o.epoch]
    [] o.goal = "confirmed" -> it
    [] OTHER -> [it EXCEPT !.phase = "rolled back", !.attempt = o.attempt, !.epoch = o.epoch,
                           !.setback = "ordered", !.turned = TRUE]

\* A later attempt begins when nothing of this attempt runs unconfirmed.
Retried(it, o) ==
  CASE it.turned \/ o.goal = "confirmed" -> it
    [] it.phase \in {"preparing", "staged", "rolled back"} ->
         [it EXCEPT !.phase = "preparing", !.attempt = o.attempt, !.setback = "none", !.undo = "none"]
    [] it.phase = "confirmed" -> [it EXCEPT !.attempt = o.attempt]
    [] OTHER -> it

Later(a, b) == IF a > b THEN a ELSE b

Heard(it, o) ==
  LET turns == o.goal \in {"back", "reverted"}
      heard == [it EXCEPT !.epoch = o.epoch, !.turned = @ \/ turns]
  IN IF turns THEN Reached([heard EXCEPT !.attempt = Later(@, o.attempt)], o.goal)
     ELSE IF o.attempt = it.attempt THEN Reached(heard, o.goal)
     ELSE IF o.attempt > it.attempt THEN Retried(heard, o) ELSE heard

Obeyed(it, o) ==
  IF it.phase = "idle" THEN First(it, o) ELSE IF o.epoch < it.epoch THEN it ELSE Heard(it, o)

NodeOnly == UNCHANGED <<ctl, decision, desired, driver, aborts, rollbacks>>
Becomes(n, next) == node' = [node EXCEPT ![n] = Became(n, next)] /\ NodeOnly

\* A node may act on an order long after reading it; reading again replaces the earlier order.
Read(n) ==
  /\ desired[n] # Nothing /\ ~node[n].cut /\ desired[n] # node[n].got
  /\ Obeyed(node[n], desired[n]) # node[n]
  /\ node' = [node EXCEPT ![n].got = desired[n]]
  /\ NodeOnly /\ UNCHANGED troubles

Act(n) ==
  /\ node[n].got # Nothing
  /\ Becomes(n, [Obeyed(node[n], node[n].got) EXCEPT !.got = Nothing]) /\ UNCHANGED troubles

Worked(it) ==
  CASE it.phase = "preparing" -> [it EXCEPT !.phase = "staged"]
    [] it.phase = "applying" -> [it EXCEPT !.phase = "judged"]
    [] it.phase = "judged" -> [it EXCEPT !.phase = "soaking"]
    [] it.phase = "soaking" /\ ~it.cut -> [it EXCEPT !.phase = "soaked"]
    [] it.phase = "rolling back" /\ it.undo = "revert" ->
         [it EXCEPT !.phase = "reverted", !.undo = "none", !.setback = "none"]
    [] it.phase = "rolling back" -> [it EXCEPT !.phase = "rolled back", !.undo = "none"]
    [] OTHER -> it

Work(n) == Worked(node[n]) # node[n] /\ Becomes(n, Worked(node[n])) /\ UNCHANGED troubles

Trouble(n, next) == troubles > 0 /\ troubles' = troubles - 1 /\ Becomes(n, next)
CutOff(n) == ~node[n].cut /\ Trouble(n, [node[n] EXCEPT !.cut = TRUE])
Overdue(n) == node[n].phase \in Unconfirmed /\ Trouble(n, GoesBack(node[n], "swap", "unconfirmed"))
Ill(n) ==
  node[n].phase \in {"soaking", "soaked"} /\ ~node[n].cut
  /\ Trouble(n, GoesBack(node[n], "swap", "unhealthy"))
IsBack(n) == node[n].cut /\ Becomes(n, [node[n] EXCEPT !.cut = FALSE]) /\ UNCHANGED troubles

(* ------------------------------------------------------------------------------------- the system *)

Idle == [phase |-> "idle", undo |-> "none", setback |-> "none", attempt |-> 0, epoch |-> 0,
         turned |-> FALSE, got |-> Nothing, cut |-> FALSE, said |-> Silent]

Init ==
  /\ ctl = [state |-> "created", epoch |-> 0, passed |-> 0, kept |-> 0, recall |-> NoRecall,
            place |-> [n \in Nodes |-> Unlisted]]
  /\ decision = 0 /\ desired = Empty
  /\ node = [n \in Nodes |-> Idle]
  /\ driver = [d \in Drivers |-> [lead |-> 0, out |-> Empty]]
  /\ troubles = MaxTroubles /\ aborts = MaxAborts /\ rollbacks = MaxRollbacks

DriverStep(d) ==
  Claim(d) \/ Abort(d) \/ Rollback(d) \/ Decide(d) \/ Lose(d) \/ \E n \in Nodes : Write(d, n)
NodeStep(n) == Read(n) \/ Act(n) \/ Work(n) \/ CutOff(n) \/ Overdue(n) \/ Ill(n) \/ IsBack(n)

Next == (\E d \in Drivers : DriverStep(d)) \/ (\E n \in Nodes : NodeStep(n))
Spec == Init /\ [][Next]_vars

(* --------------------------------------------------------------------------------- the properties *)

MayRun(n) ==
  node[n].phase \in Unconfirmed \/ (node[n].phase = "rolling back" /\ node[n].undo = "swap")

\* I6, P7: a limited number of nodes may run an unconfirmed release.
Bounded == Cardinality({n \in Nodes : MayRun(n)}) <= Most

\* I3: an aborted rollout is over, and a rolled back release runs nowhere.
StoppedIsOver ==
  /\ ctl.state \in {"aborted", "rolled back"} => \A n \in Nodes : node[n].phase \notin Unconfirmed
  /\ ctl.state = "rolled back" => \A n \in Nodes : node[n].phase # "confirmed"

\* R11: no node is ordered to run what it has not staged.
AppliedIsStaged ==
  \A n \in Nodes :
    ctl.place[n].at = "applying" /\ ctl.place[n].attempt = node[n].attempt => node[n].phase # "preparing"

\* R12: an older driver does not overwrite an order that was obeyed.
InOrder == \A n \in Nodes : desired[n] # Nothing => desired[n].epoch >= node[n].epoch

\* I1, R13: a node fails by its own report.
FailedIsIll ==
  \A n \in Nodes :
    ctl.place[n].at = "failed" /\ ctl.place[n].attempt = node[n].attempt
      => node[n].phase = "rolled back" /\ node[n].setback = "unhealthy"
=============================================================================
