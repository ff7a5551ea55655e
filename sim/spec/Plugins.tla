------------------------------ MODULE Plugins ------------------------------
(* The rotations of a kms keyring: plugins that may be cut off from the store, API servers that write  *)
(* under the version that their plugin last announced, a driver that reports late, and operators who   *)
(* rotate (also while a proof is outstanding), abort, withdraw, forget a silent plugin, attest and     *)
(* disable. There are no fences: the objects are in etcd.                                              *)
(*                                                                                                     *)
(* One step here is one step of the system. With the correct rules this is the system that the         *)
(* explorer runs on the production classes: a test compares the numbers of states.                     *)
EXTENDS Naturals, FiniteSets, Sequences

CONSTANTS
  Plugins,         \* each with its API server; all API servers share one object in etcd
  Orders           \* what operators do, each once: "start 2", "start 3", "abort", "withdraw", "forget"

CONSTANTS          \* the rules; the first value of each is correct
  GateKnows,       \* TRUE: the gate waits for the plugins that were heard before
  SettlesWhen,     \* "announced" | "lease": time passed, but plugins have no lease
  ProvesWhen,      \* "all attested" | "last attested": only the version rotated from | "always"
  AttestedUntil,   \* "used again" | "forever"
  Reports          \* "by rotation" | "by epoch": what a driver's report must match

Versions == {1, 2, 3}

VARIABLES ks, known, plugin, seed, object, report, orders
vars == <<ks, known, plugin, seed, object, report, orders>>

Running == {"staged", "settling", "proving"}
WasActive(v) == \E i \in DOMAIN ks.activated : ks.activated[i] = v
DecryptOnly(k) == {v \in Versions : k.state[v] = "decrypt only"}

(* ------------------------------------------------------------------------------- the keystore *)

Flipped(k, to, from, turned) ==
  [k EXCEPT !.epoch = @ + 1, !.active = to, !.phase = "settling", !.from = from, !.to = to,
            !.turned = turned, !.activated = Append(@, to),
            !.attested = IF AttestedUntil = "used again" THEN @ \ {to} ELSE @,
            !.state = [@ EXCEPT ![from] = "decrypt only", ![to] = "active"]]

Ended(k) ==
  [k EXCEPT !.phase = IF k.turned THEN "aborted" ELSE "completed",
            !.state = IF k.turned THEN [@ EXCEPT ![k.from] = "announced"] ELSE @]

Matches(r) == r.epoch = ks.epoch /\ (Reports = "by rotation" => r.id = ks.id)

Reported(r) ==
  CASE ~Matches(r) -> ks
    [] Matches(r) /\ ks.phase = "staged" /\ r.event = "gate passed" -> Flipped(ks, ks.to, ks.from, FALSE)
    [] Matches(r) /\ ks.phase = "staged" /\ r.event = "unstaged" ->
         [ks EXCEPT !.phase = "idle", !.from = 1, !.to = 2, !.id = 0, !.state[ks.to] = "announced"]
    [] Matches(r) /\ ks.phase = "settling" /\ r.event = "settled" -> [ks EXCEPT !.phase = "proving"]
    [] Matches(r) /\ ks.phase = "proving" /\ r.event = "proved" -> Ended(ks)
    [] OTHER -> ks

(* -------------------------------------------------------------------------------- the plugins *)
(* has: loaded versions; shown: what its fresh heartbeat proves, {} if it has none; ann: what it       *)
(* announces; seen: the epoch that it has adopted; said: what its heartbeat says of ann and seen.       *)

Update(p, new) == plugin' = [plugin EXCEPT ![p] = new]

\* It is cut off, or paused, until its heartbeat is no longer fresh.
Silence(p) ==
  /\ plugin[p].shown # {}
  /\ Update(p, [plugin[p] EXCEPT !.shown = {}, !.said = [ann |-> 0, seen |-> 0]])
  /\ UNCHANGED <<ks, known, seed, object, report, orders>>

Load(p) ==
  /\ plugin[p].has # Versions
  /\ Update(p, [plugin[p] EXCEPT !.has = Versions])
  /\ UNCHANGED <<ks, known, seed, object, report, orders>>

AfterBeat(p) ==
  [plugin[p] EXCEPT !.shown = @ \cup plugin[p].has,
                    !.said = [ann |-> plugin[p].ann, seen |-> plugin[p].seen]]

Beat(p) ==
  /\ AfterBeat(p) # plugin[p]
  /\ Update(p, AfterBeat(p))
  /\ UNCHANGED <<ks, known, seed, object, report, orders>>

\* It adopts the keystore, and announces the active version if it can write under it.
AfterRead(p) ==
  [plugin[p] EXCEPT !.seen = ks.epoch,
                    !.ann = IF ks.active \in plugin[p].has THEN ks.active ELSE @]

Read(p) ==
  /\ plugin[p].shown # {} /\ AfterRead(p) # plugin[p]
  /\ Update(p, AfterRead(p))
  /\ UNCHANGED <<ks, known, seed, object, report, orders>>

\* Its API server asks for the key_id. It needs no store.
Poll(p) ==
  /\ seed[p] # plugin[p].ann
  /\ seed' = [seed EXCEPT ![p] = plugin[p].ann]
  /\ UNCHANGED <<ks, known, plugin, object, report, orders>>

Write(p) ==
  /\ object # seed[p]
  /\ object' = seed[p]
  /\ UNCHANGED <<ks, known, plugin, seed, report, orders>>

(* --------------------------------------------------------------------------------- the driver *)

Heard == {p \in Plugins : plugin[p].shown # {}}
Ready(v) ==
  /\ Heard # {} /\ \A p \in Heard : v \in plugin[p].shown
  /\ GateKnows => known \subseteq Heard

AllAnnounce ==
  \A p \in known : p \in Heard /\ plugin[p].said.ann = ks.active /\ plugin[p].said.seen = ks.epoch

Attested ==
  CASE ProvesWhen = "all attested" -> DecryptOnly(ks) \subseteq ks.attested
    [] ProvesWhen = "last attested" -> ks.from \in ks.attested
    [] OTHER -> TRUE

Found ==
  CASE ks.phase = "staged" -> {IF Ready(ks.to) THEN "gate passed" ELSE "unstaged"}
    [] ks.phase = "settling" -> IF AllAnnounce \/ SettlesWhen = "lease" THEN {"settled"} ELSE {}
    [] ks.phase = "proving" -> IF Attested THEN {"proved"} ELSE {}
    [] OTHER -> {}

Find ==
  /\ report = {}
  /\ \E event \in Found : report' = {[event |-> event, epoch |-> ks.epoch, id |-> ks.id]}
  /\ UNCHANGED <<ks, known, plugin, seed, object, orders>>

Report ==
  /\ \E r \in report : ks' = Reported(r)
  /\ report' = {}
  /\ UNCHANGED <<known, plugin, seed, object, orders>>

(* ------------------------------------------------------------------------------ the operators *)

Start(v, order) ==
  /\ order \in orders /\ ks.phase \in {"idle", "proving", "completed", "aborted"}
  /\ ks.state[v] = "announced"
  /\ ~(ks.phase = "proving" /\ ks.from = ks.active /\ ks.to = v)
  /\ ks' = [ks EXCEPT !.phase = "staged", !.from = ks.active, !.to = v, !.turned = FALSE, !.id = v,
                      !.state[v] = "staged"]
  /\ orders' = orders \ {order}
  /\ UNCHANGED <<known, plugin, seed, object, report>>

\* Until the proof the way back is a flip to a new key_id of the old version.
Abort ==
  /\ "abort" \in orders /\ ks.phase \in Running
  /\ ~ks.turned \/ ks.phase = "staged"
  /\ ks' = IF ks.phase = "staged"
           THEN [ks EXCEPT !.phase = "aborted", !.state[ks.to] = "announced"]
           ELSE Flipped(ks, ks.from, ks.to, TRUE)
  /\ orders' = orders \ {"abort"}
  /\ UNCHANGED <<known, plugin, seed, object, report>>

Withdraw(v) ==
  /\ "withdraw" \in orders /\ ks.state[v] = "announced" /\ ~WasActive(v)
  /\ ks' = [ks EXCEPT !.state[v] = "withdrawn"]
  /\ orders' = orders \ {"withdraw"}
  /\ UNCHANGED <<known, plugin, seed, object, report>>

Forget(p) ==
  /\ "forget" \in orders /\ p \in known \ Heard
  /\ known' = known \ {p}
  /\ orders' = orders \ {"forget"}
  /\ UNCHANGED <<ks, plugin, seed, object, report>>

\* What is true: nothing needs the version, and no plugin announces it, also none that was forgotten.
Unneeded(v) == object # v /\ \A p \in Plugins : seed[p] # v /\ plugin[p].ann # v

Attest(v) ==
  /\ ks.state[v] \in {"decrypt only", "disabled"} /\ v \notin ks.attested /\ Unneeded(v)
  /\ ks' = [ks EXCEPT !.attested = @ \cup {v}]
  /\ UNCHANGED <<known, plugin, seed, object, report, orders>>

Disable(v) ==
  /\ ks.phase \notin Running /\ ks.state[v] = "decrypt only" /\ v \in ks.attested
  /\ Heard # {} /\ \A p \in Heard : plugin[p].said.ann # v /\ plugin[p].said.seen = ks.epoch
  /\ ks' = [ks EXCEPT !.state[v] = "disabled"]
  /\ UNCHANGED <<known, plugin, seed, object, report, orders>>

(* ----------------------------------------------------------------------------------- the system *)

Init ==
  /\ ks = [epoch |-> 1, active |-> 1, phase |-> "idle", from |-> 1, to |-> 2, turned |-> FALSE,
           id |-> 0, activated |-> <<1>>, attested |-> {},
           state |-> [v \in Versions |-> IF v = 1 THEN "active" ELSE "announced"]]
  /\ known = Plugins
  /\ plugin = [p \in Plugins |-> [has |-> {1}, shown |-> {1}, ann |-> 1, seen |-> 1,
                                  said |-> [ann |-> 1, seen |-> 1]]]
  /\ seed = [p \in Plugins |-> 1]
  /\ object = 1
  /\ report = {}
  /\ orders = Orders

PluginStep(p) == Silence(p) \/ Load(p) \/ Beat(p) \/ Read(p) \/ Poll(p) \/ Write(p)

Next ==
  \/ \E p \in Plugins : PluginStep(p) \/ Forget(p)
  \/ Find \/ Report \/ Start(2, "start 2") \/ Start(3, "start 3") \/ Abort
  \/ \E v \in Versions : Withdraw(v) \/ Attest(v) \/ Disable(v)

Spec == Init /\ [][Next]_vars

(* -------------------------------------------------------------------------------- the properties *)

\* P12: the version of the object is kept, and every plugin that the fleet counts on can open it.
Kept == ks.state[object] \in {"active", "decrypt only"}
Opens == \A p \in known : object \in plugin[p].has

\* P13: a rotation ends only when every version from before is attested, and none of those is in use.
Proven ==
  ks.phase = "completed" \/ (ks.phase = "aborted" /\ ks.turned)
    => \A v \in DecryptOnly(ks) : v \in ks.attested

\* Every plugin that the fleet counts on has followed before a proof is looked for.
Followed == ks.phase = "proving" => \A p \in known : plugin[p].ann = ks.active

\* An attestation is true, whenever it was given.
Truthful == \A v \in ks.attested : Unneeded(v)
=============================================================================
