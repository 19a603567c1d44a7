package io.baton.cluster.raft;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;

/**
 * Asks all voters whether a term still stands. Whoever leads a later one was voted for by a
 * majority, each of whom had left this term before: so where a majority still says yes, nobody else
 * led when it was asked. A read of Ratis would not do: on an idle log it asks nobody.
 */
final class Terms {
  private static final byte QUESTION = 16; // calls of Ratis begin with other bytes
  private static final byte ANSWER = 17;
  private static final int SIZE = 17;
  private static final int OPEN_QUESTIONS = 64;

  private record Question(long term, long batch) {}

  private final RaftPeerId self;
  private final RaftServer.Division division;
  private final RatisLog.Post post;
  private final RatisLog.Listener listener;
  private final Map<Question, Set<RaftPeerId>> questions = new LinkedHashMap<>(); // who said yes

  Terms(
      RaftPeerId self,
      RaftServer.Division division,
      RatisLog.Post post,
      RatisLog.Listener listener) {
    this.self = self;
    this.division = division;
    this.post = post;
    this.listener = listener;
  }

  void ask(long term, long batch) {
    Question question = new Question(term, batch);
    synchronized (questions) {
      questions.computeIfAbsent(question, any -> new HashSet<>());
      while (questions.size() > OPEN_QUESTIONS) {
        questions.remove(questions.keySet().iterator().next());
      }
    }
    byte[] message = message(QUESTION, question);
    RaftConfiguration voters = division.getRaftConf();
    Set<RaftPeer> asked = new HashSet<>(voters.getCurrentPeers());
    asked.addAll(voters.getPreviousPeers());
    asked.stream()
        .map(RaftPeer::getId)
        .filter(peer -> !peer.equals(self))
        .forEach(peer -> post.send(peer.toString(), message));
    count(question, self);
  }

  private static byte[] message(byte kind, Question question) {
    return ByteBuffer.allocate(SIZE)
        .put(kind)
        .putLong(question.term())
        .putLong(question.batch())
        .array();
  }

  /** Whether a message is for here. */
  static boolean isKnown(byte[] message) {
    return message[0] == QUESTION || message[0] == ANSWER;
  }

  void receive(String from, byte[] message) {
    if (message.length != SIZE) {
      return;
    }
    ByteBuffer fields = ByteBuffer.wrap(message, 1, SIZE - 1);
    Question question = new Question(fields.getLong(), fields.getLong());
    if (message[0] == ANSWER) {
      count(question, RaftPeerId.valueOf(from));
    } else if (present() == question.term()) {
      post.send(from, message(ANSWER, question));
    }
  }

  private long present() {
    return division.getInfo().getCurrentTerm();
  }

  private void count(Question question, RaftPeerId voter) {
    synchronized (questions) {
      Set<RaftPeerId> yes = questions.get(question);
      if (yes == null) {
        return;
      }
      yes.add(voter);
      RaftConfiguration voters = division.getRaftConf();
      boolean majority =
          isMajority(yes, voters.getCurrentPeers())
              && (voters.getPreviousPeers().isEmpty()
                  || isMajority(yes, voters.getPreviousPeers()));
      if (!majority || !division.getInfo().isLeader() || present() != question.term()) {
        return;
      }
      questions.remove(question);
    }
    listener.confirmed(question.term(), question.batch());
  }

  private static boolean isMajority(Set<RaftPeerId> yes, Collection<RaftPeer> voters) {
    return voters.stream().filter(voter -> yes.contains(voter.getId())).count() * 2 > voters.size();
  }
}
