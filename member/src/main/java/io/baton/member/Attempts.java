package io.baton.member;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Those who try to take one lock, here and elsewhere, and have no answer yet. One that tries is
 * granted the lock, or refused by a member where at that moment the lock is in use or a caller
 * waits for it; nobody else makes it fail.
 */
final class Attempts {
  /** A question of another member, see {@link Letter.Inquiry}. */
  record Question(long loan, int number) {}

  private static final class Here {
    private final Caller caller;
    private boolean asked; // the request under way was sent when it was here

    Here(Caller caller) {
      this.caller = caller;
    }
  }

  private final Map<Caller, Here> here = new LinkedHashMap<>(4); // in their order
  private final TreeSet<Integer> requests = new TreeSet<>(); // that wait here, by sink
  private final TreeMap<Integer, Integer> asked = new TreeMap<>(); // of these, by which question
  private final TreeMap<Integer, Question> questions = new TreeMap<>(); // of others, by position
  private final TreeSet<Integer> withdrawn = new TreeSet<>(); // requests that may still come

  /** Whether nothing is left to remember. */
  boolean isEmpty() {
    return here.isEmpty() && requests.isEmpty() && questions.isEmpty() && withdrawn.isEmpty();
  }

  // Callers of this member.

  boolean hasCallers() {
    return !here.isEmpty();
  }

  void add(Caller caller) {
    here.put(caller, new Here(caller));
  }

  @Nullable Caller poll() {
    Iterator<Caller> first = here.keySet().iterator();
    if (!first.hasNext()) {
      return null;
    }
    Caller next = first.next();
    first.remove();
    return next;
  }

  boolean remove(Caller caller) {
    return here.remove(caller) != null;
  }

  /** A request goes out for all who are here. */
  void asked() {
    here.values().forEach(each -> each.asked = true);
  }

  /** Those for whom the request was that is refused now: who came later has to be asked for. */
  List<Caller> takeAsked() {
    List<Caller> taken = new ArrayList<>();
    for (Iterator<Here> each = here.values().iterator(); each.hasNext(); ) {
      Here next = each.next();
      if (next.asked) {
        taken.add(next.caller);
        each.remove();
      }
    }
    return taken;
  }

  List<Caller> takeAll() {
    asked();
    return takeAsked();
  }

  // Requests that wait here.

  /** How many there are; one sink may be left out. */
  int requestCount(int except) {
    return requests.size() - (requests.contains(except) ? 1 : 0);
  }

  void waits(int sink) {
    requests.add(sink);
  }

  /** The request of a sink waits here no more; whether it only tries. */
  boolean goes(int sink) {
    asked.remove(sink);
    withdrawn.remove(sink);
    return requests.remove(sink);
  }

  /** It was heard that nobody wants what a sink has asked for, before that came by. */
  void overtakes(int sink) {
    withdrawn.add(sink);
  }

  /** Whether it was, of the request that comes by now. */
  boolean overtook(int sink) {
    return withdrawn.remove(sink);
  }

  List<Integer> requests() {
    return List.copyOf(requests);
  }

  // Questions: is the lock in use with who is before them?

  /** Whether there are some for whom nobody was asked. */
  boolean isUnasked() {
    return !asked.keySet().containsAll(requests);
  }

  /** Who was asked may not be before them any more. */
  void askAnew() {
    asked.clear();
  }

  /** A question is asked now, for these. */
  void ask(int question) {
    requests.forEach(sink -> asked.putIfAbsent(sink, question));
  }

  /** It is: those for whom that question was asked, or one before, fail. */
  List<Integer> answered(int question) {
    List<Integer> failed = new ArrayList<>();
    asked.forEach(
        (sink, number) -> {
          if (number <= question) {
            failed.add(sink);
          }
        });
    return failed;
  }

  void question(int from, Question question) {
    questions.put(from, question);
  }

  /** Whether a lender would have this loan back, if it is not in use. */
  boolean isAskedFor(long loan) {
    return questions.values().stream().anyMatch(question -> question.loan() == loan);
  }

  Map<Integer, Question> takeQuestions() {
    Map<Integer, Question> taken = new TreeMap<>(questions);
    questions.clear();
    return taken;
  }

  /** In a new epoch all requests and questions are gone; whoever tries here goes on trying. */
  void beginEpoch() {
    requests.clear();
    asked.clear();
    questions.clear();
    withdrawn.clear();
    here.values().forEach(each -> each.asked = false);
  }
}
