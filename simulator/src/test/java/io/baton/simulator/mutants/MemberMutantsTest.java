package io.baton.simulator.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bugs planted in a member, about one for each rule: some promise notices each. */
class MemberMutantsTest {
  private static final int BATCH = 100;
  private static final int MOST = 8_000;

  private static final String UNIQUE = "fences are unique";
  private static final String ONE = "one token per lock and epoch";
  private static final String RISING = "fences rise in the order of grants";
  private static final String ALONE = "no two holds overlap";
  private static final String TOLD = "who loses a lock is told before the next grant";
  private static final String SERVED = "once the faults stop, every request is granted in time";
  private static final String LOCAL = "a loan ends only when somebody asks";
  private static final String FOUNDED =
      "in a cluster just founded nobody is granted before a lease";
  private static final String FORCED = "a forced release ends the hold it names and no other";
  private static final String IN_TURN = "first come, first served, and others get their turn";
  private static final String FREE = "a free lock is won by one of those who try";
  private static final String PATIENT = "nobody tries for longer than a fifth of a lease";
  private static final String ANSWERED = "without faults, whoever tries is answered";
  private static final String LIMITED = "a hold ends when its time is over, and not before";
  private static final String LEADER = "one leader per term";
  private static final String AGREED =
      "one state per version, and none before one that was agreed on";
  private static final String KNOWN =
      "nobody is told of a state that cannot follow a committed one";
  private static final String LET_GO = "who leaves is let go";
  private static final String ALIVE = "no member fails";
  private static final String BUSY = "nobody is busy for ever";

  private static MemberMutant bug(
      String rule, String bug, String file, String from, String to, String... caughtBy) {
    return new MemberMutant(rule, file, from, to, bug, Set.of(caughtBy), 1);
  }

  static List<MemberMutant> bugs() {
    return List.of(
        bug(
            "R1",
            "a letter of an older epoch is taken",
            "Member",
            "if (letter.epoch() < view.epoch() || sender == null) {",
            "if (sender == null) {",
            ONE,
            UNIQUE,
            RISING,
            ALONE,
            LIMITED,
            SERVED,
            ALIVE),
        bug(
            "R1",
            "a letter of a view to come is thrown away",
            "Member",
            "early.add(new Mailed(from, letter));",
            "",
            SERVED,
            ONE,
            ALONE,
            UNIQUE,
            RISING,
            IN_TURN),
        bug(
            "R2",
            "who joins later may be a root",
            "View",
            ">>> 8, founders);",
            ">>> 8, places.size());",
            ONE,
            UNIQUE,
            RISING,
            ALONE,
            SERVED,
            ALIVE,
            ANSWERED,
            FREE),
        bug(
            "R4",
            "who starts anew takes the place of its former life",
            "Member",
            "if (place == null || place.run() != run) {",
            "if (place == null) {",
            ONE,
            SERVED,
            ALIVE,
            UNIQUE),
        bug(
            "R5",
            "a cluster just founded grants at once",
            "Registrar",
            "opensAt = longestLease(now);",
            "opensAt = now;",
            FOUNDED),
        bug(
            "R6",
            "who leaves does not tell its holders",
            "Member",
            "            holder.lost(Loss.CLOSED);\n",
            "",
            TOLD,
            ALONE),
        bug(
            "R7",
            "who waits is forgotten when its member's life ends",
            "Member",
            "(name, caller) -> lobby.put(caller, new Wish(name, false)),",
            "(name, caller) -> caller.hashCode(),",
            SERVED,
            IN_TURN),
        bug(
            "R8",
            "who lags is not told the view",
            "Registrar",
            "renewal.view() < view.number()) { // R12\n      out.send",
            "renewal.view() < view.number()) { // R12\n      if (now < 0) out.send",
            SERVED),
        bug(
            "R9",
            "no look at the clock before an event",
            "Member",
            "if (lease.hasRunOut(now)) {",
            "if (now < 0) {",
            TOLD,
            ALONE,
            BUSY),
        bug(
            "R9",
            "no look at the clock at the grant",
            "Member",
            "share.holder() == caller && lease.isValid(instant);",
            "share.holder() == caller;",
            ALONE,
            RISING,
            TOLD),
        bug(
                "R9",
                "a lease counts from the answer",
                "Lease",
                "long newEnd = sent + length;",
                "long newEnd = now + length;",
                ALONE,
                TOLD,
                RISING)
            .from(5_301),
        bug(
            "R9",
            "a lease is not shortened by the drift",
            "Settings",
            "return lease - (lease * drift + MILLION - 1) / MILLION;",
            "return lease;",
            ALONE,
            TOLD),
        bug(
                "R10",
                "a lease is granted without a majority",
                "Registrar",
                "      register.confirm(term, batch);\n",
                "      confirmed(term, batch, now);\n",
                KNOWN,
                ALONE,
                TOLD,
                RISING)
            .from(2_901),
        bug(
            "R11",
            "the leader does not wait longer for the drift",
            "Settings",
            "return length + (length * drift + MILLION - 1) / MILLION;",
            "return length - (length * drift + MILLION - 1) / MILLION;",
            ALONE,
            TOLD,
            FOUNDED),
        bug(
            "R11",
            "eviction a tenth of a lease early",
            "Registrar",
            "    return now + settings.leaseAtLeader(Math.max(settings.lease(), state.lease()));",
            "    return now + settings.leaseAtLeader(settings.lease()) - settings.lease() / 10;",
            ALONE,
            TOLD,
            FOUNDED),
        bug(
            "R11",
            "a new leader evicts at once",
            "Registrar",
            "state.view().places().forEach(place -> overAt.put(place.peer(), longestLease(granted)));",
            "state.view().places().forEach(place -> overAt.put(place.peer(), now));",
            ALONE,
            TOLD,
            RISING),
        bug(
            "R28",
            "a voter that answers a question does not remember that it did",
            "agreement/Voter",
            "else if (question.term() == currentTerm) {\n      lastAnswered = now;\n",
            "else if (question.term() == currentTerm) {\n",
            ALONE,
            TOLD,
            RISING),
        bug(
            "R28",
            "a new leader counts from the oldest answer",
            "agreement/Voter",
            "Math.max(lastAnswered, Collections.max(votes.values()))",
            "Collections.min(votes.values())",
            ALONE,
            TOLD,
            RISING),
        bug(
            "agreement",
            "what a voter says does not wait for its disk",
            "agreement/SyncedOutput",
            "first.ticket > synced",
            "first.ticket > written",
            LEADER,
            AGREED,
            KNOWN),
        bug(
                "agreement",
                "what got lost is not said again",
                "agreement/Agreement",
                "    voter.repeat(out);\n",
                "",
                SERVED,
                LET_GO)
            .from(2_501),
        bug(
            "R14",
            "a holder is forgotten at the change of epoch",
            "LockShare",
            "      next.holder = holder;\n",
            "",
            LIMITED,
            TOLD,
            ALONE,
            SERVED),
        bug(
            "R14",
            "local waiters are forgotten at the change of epoch",
            "LockShare",
            "    next.callers = callers;\n",
            "",
            SERVED,
            IN_TURN),
        bug(
            "R14",
            "a queue is kept across the change of epoch",
            "LockShare",
            "new SchemeState(true, next.inside, father, root, NIL, List.of(), last)",
            "new SchemeState(true, next.inside, father, root, NIL, scheme.capture().waiting(), last)",
            ANSWERED,
            ONE,
            SERVED,
            ALIVE,
            ALONE),
        bug(
            "R15",
            "a token is made before all have reported",
            "Settling",
            "reported.size() < view.founders()",
            "reported.size() < view.founders() - 1",
            ONE,
            UNIQUE,
            RISING,
            ALONE),
        bug(
            "R15",
            "a token is made twice",
            "LockShare",
            "    if (!unsettled) {\n      return; // the borrower has already given it back\n    }\n",
            "",
            ONE,
            UNIQUE,
            ALIVE,
            SERVED,
            IN_TURN),
        bug(
            "R16",
            "the root does not learn who has the token",
            "LockShare",
            "      borrower = newBorrower;\n      lent = loan;",
            "      lent = loan;",
            ANSWERED,
            SERVED,
            IN_TURN),
        bug(
            "R18",
            "a loan stays though others wait",
            "LockShare",
            "if (!isWaitedFor() && scheme.isBorrower() && !isTriedFor() && settings.loansStay()) {",
            "if (!isWaitedFor() && scheme.isBorrower() && settings.loansStay()) {",
            ANSWERED,
            SERVED,
            IN_TURN),
        bug(
            "R19",
            "a recall that comes before its token is forgotten",
            "LockShare",
            "recallAhead = Math.max(recallAhead, loan);",
            "",
            SERVED,
            IN_TURN),
        bug(
            "R19",
            "a stale recall is obeyed",
            "LockShare",
            "returns = recallAhead == borrowed;",
            "returns = recallAhead != NONE;",
            LOCAL),
        bug(
            "R21",
            "numbers do not begin above the former epoch's",
            "Fence",
            "return last >>> bits < epoch ? (epoch << bits) + 1 : last + 1;",
            "return last + 1;",
            UNIQUE,
            RISING),
        bug(
                "R21",
                "a counter runs over into the epoch",
                "Fence",
                "(last >>> bits == epoch && counter(last, bits) == mask(bits))",
                "last < 0",
                UNIQUE,
                RISING)
            .from(8_901),
        bug(
            "R21",
            "nobody asks for a new epoch when numbers run short",
            "LockShare",
            "      host.numbersRunShort();\n",
            "",
            ANSWERED,
            SERVED),
        bug(
            "R22",
            "epochs begin anew when all have restarted",
            "ClusterState",
            "epochAfter(view.epoch(), minutes),",
            "stayed == 0 ? 1 : epochAfter(view.epoch(), minutes),",
            UNIQUE,
            RISING,
            ONE,
            KNOWN),
        bug(
            "R23",
            "a token is not reported, and not forgotten either",
            "Locks",
            "if (survives || share.isWaitedFor()) {",
            "if (share.hasToken() || share.isWaitedFor()) {",
            ONE,
            UNIQUE,
            BUSY),
        bug(
            "R24",
            "a forced release does not tell the holder",
            "LockShare",
            "    ended.lost(reason);\n",
            "",
            LIMITED,
            TOLD,
            ALONE),
        bug(
            "R24",
            "a forced release ends whatever is held",
            "LockShare",
            "if (ended == null || !ended.isAt(last, fence)) {",
            "if (ended == null) {",
            FORCED),
        bug(
            "R25",
            "duplicates are not dropped",
            "Link",
            "if (mail.seq() != lastTaken + 1) {",
            "if (mail.seq() > lastTaken + 1) {",
            ONE,
            UNIQUE,
            SERVED,
            ALIVE,
            ALONE,
            LOCAL,
            FREE,
            ANSWERED,
            LIMITED),
        bug(
            "R25",
            "a gap is not noticed",
            "Link",
            "if (mail.seq() != lastTaken + 1) {",
            "if (mail.seq() <= lastTaken) {",
            SERVED),
        bug(
            "R25",
            "what was lost with a connection is not sent again",
            "Link",
            "return List.copyOf(sent);",
            "return List.of();",
            SERVED),
        bug(
            "R25",
            "nobody relays",
            "Links",
            "      out.send(relay, new Packet.Relayed(mail));\n",
            "",
            SERVED,
            FORCED),
        bug(
            "R26",
            "back-pressure holds up tokens",
            "Locks",
            "    host.send(to, new Letter.OfLock(lock.name, message, attempt));",
            "    if (host.hasRoom()) host.send(to, new Letter.OfLock(lock.name, message, attempt));",
            IN_TURN,
            SERVED),
        bug("R26", "what was held back is forgotten", "Locks", "      next.goOn();\n", "", SERVED),
        bug(
            "turns",
            "local callers are served for ever while others wait",
            "LockShare",
            "if (isWaitedFor() && !(others && passes >= host.passes(this))) {",
            "if (isWaitedFor()) {",
            IN_TURN,
            SERVED),
        bug(
            "turns",
            "who keeps a lock is not told that others want it",
            "LockShare",
            "      holder.wanted();\n",
            "",
            IN_TURN,
            ANSWERED,
            SERVED),
        bug(
            "R22",
            "the numbers that a caller gave itself are forgotten",
            "LockShare",
            "      last = caller.last(last);\n",
            "",
            UNIQUE,
            RISING),
        bug(
            "turns",
            "who came last is served first",
            "Callers",
            "    all.add(caller);\n",
            "    ((java.util.Deque<Caller>) all).addFirst(caller);\n",
            IN_TURN),
        bug(
            "R24",
            "a forced release is not answered",
            "Member",
            "send(sender, forces.onForce(force));",
            "forces.onForce(force);",
            FORCED),
        bug(
            "attempts",
            "who has the lock does not refuse",
            "LockShare",
            "      open.requests().forEach(this::refuseElsewhere);\n",
            "",
            ANSWERED,
            SERVED),
        bug(
            "attempts",
            "a lock that is only kept is taken for one in use",
            "LockShare",
            "return hasCallers() || (holder != null && holder.isInUse());",
            "return hasCallers() || holder != null;",
            FREE),
        bug(
            "attempts",
            "a wish that was given up makes others fail",
            "LockShare",
            "return hasCallers() || (holder != null && holder.isInUse());",
            "return hasCallers() || asking || (holder != null && holder.isInUse());",
            FREE,
            ANSWERED,
            SERVED),
        bug(
                "attempts",
                "who came after a request was sent fails with it",
                "Attempts",
                "if (next.asked) {",
                "if (here.size() > 0) {",
                FREE)
            .from(11_001),
        bug(
            "attempts",
            "who is not answered goes on trying",
            "Member",
            "while (!attempts.isEmpty() && attempts.peek().until() <= now) {",
            "while (now < 0) {",
            BUSY,
            SERVED,
            FREE),
        bug(
            "attempts",
            "who is not answered tries for twice as long",
            "Member",
            "attempts.add(new Attempt(lock, caller, now + settings.patience()));",
            "attempts.add(new Attempt(lock, caller, now + 2 * settings.patience()));",
            PATIENT),
        bug(
            "attempts",
            "who is before those who try is not asked",
            "LockShare",
            "if (before != NIL && open.isUnasked()) {",
            "if (i < 0) {",
            ANSWERED,
            SERVED),
        bug(
            "attempts",
            "a borrower that does not use its loan keeps it",
            "LockShare",
            "attempts.isAskedFor(borrowed)",
            "i < 0",
            ANSWERED,
            SERVED),
        bug(
                "attempts",
                "a late answer is taken for one to a later question",
                "LockShare",
                "      questions++;\n",
                "      questions = 1;\n",
                FREE,
                ANSWERED)
            .from(11_301),
        bug(
            "attempts",
            "nobody hears that a wish was given up",
            "Member",
            "        share.withdrawn(sender);\n",
            "",
            ANSWERED),
        bug(
            "limits",
            "a hold ends before its time is over",
            "Limits",
            "byTime.first().at() > now)",
            "byTime.first().at() > now + 100_000)",
            LIMITED,
            ALONE,
            TOLD),
        bug(
            "limits",
            "a hold goes on for longer",
            "Limits",
            "byTime.first().at() > now)",
            "byTime.first().at() > now - 100_000)",
            LIMITED,
            BUSY,
            SERVED),
        bug(
            "limits",
            "a hold whose end was put off ends all the same",
            "Locks",
            "limits.set(new Limits.Limit(name, fence, at, false));",
            "if (limits.next() == Link.NEVER) limits.set(new Limits.Limit(name, fence, at, false));",
            LIMITED),
        bug(
            "limits",
            "a lock that is kept from others is given back at once",
            "Locks",
            "limits.set(new Limits.Limit(name, share.lastFence(), at, true));",
            "share.leave(caller);",
            ALONE,
            TOLD));
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void aBugInAMemberIsCaught(MemberMutant bug) {
    Map<String, Long> broken = new TreeMap<>();
    int last = bug.firstSeed() + MOST;
    for (int first = bug.firstSeed(); first < last && broken.isEmpty(); first += BATCH) {
      broken.putAll(bug.survey(3, 7, first, first + BATCH - 1));
    }
    assertThat(broken).as("promises broken within %d seeds", MOST).isNotEmpty();
    assertThat(bug.caughtBy()).containsAll(broken.keySet());
  }
}
