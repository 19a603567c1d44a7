package io.baton.simulator.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bugs planted in a voter: the explorer finds each, by the promise that it breaks. */
class AgreementMutantsTest {
  private static final String LEADER = "one leader per term";
  private static final String VALUE = "one value per term and version";
  private static final String DESCENT =
      "whatever is published comes after all that was committed before";
  private static final String KNOWN =
      "nobody is told of a state that cannot follow a committed one";
  private static final String LEASE = "leases are confirmed for the latest leader only";

  private static AgreementMutant bug(
      String bug, String from, String to, String bounds, String caughtBy) {
    return new AgreementMutant(bug, from, to, bounds, caughtBy, 1);
  }

  static List<AgreementMutant> bugs() {
    return List.of(
        bug(
            "a voter votes twice in a term",
            "if (term <= currentTerm) {",
            "if (term < currentTerm) {",
            "elections",
            LEADER),
        bug(
                "a vote is given before it is on disk",
                "out.store(durable()); // a vote that is forgotten could be given twice",
                "out.send(candidate, new Message.Vote(cluster, candidate, term, accepted.term(),"
                    + " accepted.version(), 0)); out.store(durable());",
                "restarts",
                LEADER)
            .from(388),
        bug(
            "a vote counts for whoever gets it",
            "!vote.candidate().equals(id) // a vote that went astray is nobody's\n        || vote",
            "vote",
            "elections",
            LEADER),
        bug(
            "a vote of an earlier term counts",
            "|| vote.term() != currentTerm",
            "|| vote.term() > currentTerm",
            "elections",
            LEADER),
        bug(
            "votes of the term before are kept",
            "    votes.clear();\n    publishVotes.clear();\n    forgetOffice();",
            "    publishVotes.clear();\n    forgetOffice();",
            "elections",
            LEADER),
        bug(
            "a leader that has voted for another stays in office",
            "    publishVotes.clear();\n    forgetOffice();",
            "    publishVotes.clear();",
            "questions",
            LEASE),
        bug(
            "a candidate counts votes after a restart, when it has forgotten what it published",
            "        || !started\n",
            "",
            "restarts",
            VALUE),
        bug(
                "a voter that knows more makes somebody leader who knows less",
                "        || !isNoLaterThanAccepted(vote)\n",
                "",
                "elections",
                DESCENT)
            .from(381),
        bug(
                "versions are not compared where the terms are the same",
                "vote.acceptedTerm() == accepted.term() && vote.acceptedVersion() <= accepted.version()",
                "vote.acceptedTerm() == accepted.term()",
                "elections",
                DESCENT)
            .from(407),
        bug(
                "a leader is elected by the committed configuration alone",
                "return committed.isQuorum(votes.keySet())"
                    + " && accepted.configuration().isQuorum(votes.keySet());",
                "return committed.isQuorum(votes.keySet());",
                "exchanges",
                LEADER)
            .from(1_227),
        bug(
                "a leader is elected by the accepted configuration alone",
                "return committed.isQuorum(votes.keySet())"
                    + " && accepted.configuration().isQuorum(votes.keySet());",
                "return accepted.configuration().isQuorum(votes.keySet());",
                "exchanges",
                LEADER)
            .from(26_882),
        bug(
            "a late vote lets a leader publish a second state under one version",
            "    if (!before && won) {\n      publishedVersion = accepted.version();",
            "    publishedVersion = won ? accepted.version() : publishedVersion;\n"
                + "    if (!before && won) {",
            "elections",
            VALUE),
        bug(
            "a leader publishes before it has accepted what it published last",
            "        || publishedVersion != accepted.version()\n",
            "",
            "elections",
            VALUE),
        bug(
            "voters are counted on that have not voted in this term",
            "        || !configuration.isQuorum(votes.keySet())) {",
            "        ) {",
            "exchanges",
            LEADER),
        bug(
                "answers to the publication before are counted",
                "    publishVotes.clear();\n    Message.Publish message =",
                "    Message.Publish message =",
                "elections",
                DESCENT)
            .from(818),
        bug(
            "answers that name an earlier version are counted",
            " || answer.version() != publishedVersion) {",
            " || answer.version() > publishedVersion) {",
            "elections",
            DESCENT),
        bug(
                "the leader counts itself before it has accepted",
                "    publishVotes.clear();\n    Message.Publish message =",
                "    publishVotes.clear();\n    publishVotes.add(id);\n    Message.Publish message =",
                "restarts",
                DESCENT)
            .from(355),
        bug(
                "a publication is committed by a quorum of the old voters alone",
                "return committed.isQuorum(answered) && publishedConfiguration.isQuorum(answered);",
                "return committed.isQuorum(answered);",
                "exchanges",
                DESCENT)
            .from(24_588),
        bug(
                "a publication is committed by a quorum of the new voters alone",
                "return committed.isQuorum(answered) && publishedConfiguration.isQuorum(answered);",
                "return publishedConfiguration.isQuorum(answered);",
                "exchanges",
                DESCENT)
            .from(4_412),
        bug(
                "a publication of an earlier term is accepted",
                "    if (publication.term() != currentTerm) {",
                "    if (publication.term() > currentTerm) {",
                "elections",
                DESCENT)
            .from(846),
        bug(
            "an older publication of the same term is accepted",
            "    if (publication.term() == accepted.term()"
                + " && publication.version() <= accepted.version()) {",
            "    if (publication.term() < accepted.term()) {",
            "elections",
            DESCENT),
        bug(
                "what was accepted is said before it is on disk",
                "    out.store(durable()); // both in one write\n    lastAnswered = now;\n"
                    + "    out.send(from, new Message.Accepted(accepted.term(), accepted.version()));",
                "    out.send(from, new Message.Accepted(accepted.term(), accepted.version()));\n"
                    + "    out.store(durable());",
                "restarts",
                DESCENT)
            .from(91_923),
        bug(
            "a voter commits something else than it was told",
            "    if (!accepted.is(commit.term(), commit.version())) {",
            "    if (accepted.term() < commit.term()) {",
            "exchanges",
            KNOWN),
        bug(
                "a voter stands by a leader whose term is over",
                "new Message.Standing(currentTerm, 0, out.minutes())",
                "new Message.Standing(question.term(), question.batch(), out.minutes())",
                "questions",
                LEASE)
            .from(13_755));
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void aBugInAVoterIsCaught(AgreementMutant bug) {
    String broken = bug.explore();
    assertThat(broken).startsWith(bug.caughtBy());
  }
}
