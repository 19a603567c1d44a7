package io.baton.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Asks members what they know of locks. For all locks in use it asks everybody, those too that are
 * no members now and wait to be some again. For one lock it goes the way that a request would go,
 * member by member, until it comes to the token; only where that way is lost it asks the others,
 * and where the token was on its way, or its epoch only begins, it asks anew until it is somewhere.
 * Who does not answer in time is named as silent.
 */
public final class Gathering implements AutoCloseable {
  private static final long LIMIT_MILLIS = 2_000;
  private static final long LONGEST_PAUSE_MILLIS = 64;

  /** How it reaches the others, and the thread on which answers come. */
  interface Post {
    ScheduledExecutorService loop();

    /** Whom it reaches now; on the loop. */
    List<String> connected();

    void send(String to, Frame frame);
  }

  /** Whom to ask. */
  private enum Scope {
    /** Everybody. */
    ALL,
    /** Who is on the way to the token. */
    WAY
  }

  private static final class Question {
    private final String lock; // empty: all
    private long pause; // before the next round, in milliseconds
    private final Scope scope;
    private final Set<String> unasked = new LinkedHashSet<>();
    private final Set<String> awaited = new LinkedHashSet<>();
    private final Set<String> members = new LinkedHashSet<>(); // in the view
    private final Set<String> answered = new LinkedHashSet<>();
    private final List<LockReport> reports = new ArrayList<>();
    private final CompletableFuture<LockReports> answer = new CompletableFuture<>();

    Question(String lock, Scope scope) {
      this.lock = lock;
      this.scope = scope;
    }

    /** Nothing is known yet but what is known here. */
    void begin(Host host, List<LockReport> own) {
      pause = Math.min(pause == 0 ? 1 : 2 * pause, LONGEST_PAUSE_MILLIS);
      members.clear();
      host.view().places().forEach(place -> members.add(place.peer().id()));
      answered.clear();
      answered.add(host.origin().id());
      reports.clear();
      reports.addAll(own);
    }

    /** All have answered, and none of them had the token: it was on its way. */
    boolean missedToken() {
      return scope == Scope.WAY && !hasToken() && answered.containsAll(members);
    }

    /** What was told last; on the way to a token somebody always tells something. */
    LockReport last() {
      return reports.get(reports.size() - 1);
    }

    boolean hasToken() {
      return reports.stream().anyMatch(LockReport::token);
    }

    /** Whose requests wait somewhere. */
    Set<String> queued() {
      return reports.stream()
          .flatMap(report -> report.members().stream())
          .collect(Collectors.toSet());
    }
  }

  private final Host host;
  private final Post post;
  private final AtomicLong last = new AtomicLong();

  // On the loop.
  private final Map<Long, Question> open = new LinkedHashMap<>();
  private boolean closed;

  Gathering(Host host, Post post) {
    this.host = host;
    this.post = post;
  }

  /** What all tell of the locks in use. */
  CompletableFuture<LockReports> ofAll() {
    return start(new Question("", Scope.ALL), LockReport.of(host));
  }

  /** What those concerned tell of one lock. */
  CompletableFuture<LockReports> of(String lock) {
    return start(new Question(lock, Scope.WAY), List.of(LockReport.of(host, lock)));
  }

  /** What everybody tells of one lock. */
  CompletableFuture<LockReports> ofAllAbout(String lock) {
    return start(new Question(lock, Scope.ALL), List.of(LockReport.of(host, lock)));
  }

  private CompletableFuture<LockReports> start(Question question, List<LockReport> own) {
    long number = last.incrementAndGet();
    question.begin(host, own);
    try {
      post.loop().execute(() -> begin(number, question));
    } catch (RejectedExecutionException e) { // this member has left
      complete(question);
    }
    return question.answer;
  }

  private void begin(long number, Question question) {
    open.put(number, question);
    try {
      var unused =
          post.loop().schedule(() -> finish(number, question), LIMIT_MILLIS, TimeUnit.MILLISECONDS);
      question.unasked.addAll(post.connected());
      goOn(number, question);
    } catch (RuntimeException | Error e) { // of memory, perhaps
      finish(number, question);
      throw e;
    }
  }

  /** Asks whoever is next, by what was told; ends where nobody is. */
  private void goOn(long number, Question question) {
    Set<String> next = new LinkedHashSet<>(question.unasked);
    if (question.scope == Scope.WAY) {
      String towards = question.last().towards();
      if (question.hasToken()) {
        next.retainAll(question.queued());
      } else if (next.contains(towards)) {
        next = Set.of(towards);
      }
    }
    next.forEach(id -> ask(number, question, id));
    if (!question.awaited.isEmpty() && !closed) {
      return;
    }
    if (question.missedToken() && !closed) {
      var unused =
          post.loop()
              .schedule(() -> askAnew(number, question), question.pause, TimeUnit.MILLISECONDS);
    } else {
      finish(number, question);
    }
  }

  private void askAnew(long number, Question question) {
    if (open.containsKey(number)) {
      question.begin(host, List.of(LockReport.of(host, question.lock)));
      question.unasked.addAll(post.connected());
      goOn(number, question);
    }
  }

  private void ask(long number, Question question, String id) {
    question.unasked.remove(id);
    question.awaited.add(id);
    post.send(id, new Frame.Ask(number, question.lock));
  }

  private void finish(long number, Question question) {
    if (open.remove(number) != null) {
      complete(question);
    }
  }

  private void complete(Question question) {
    Set<String> silent = new LinkedHashSet<>(question.members);
    silent.addAll(question.awaited);
    silent.removeAll(question.answered);
    LockReports reports = new LockReports(question.reports, question.answered, silent);
    host.callBack(() -> question.answer.complete(reports));
  }

  /** Answers another member, away from the loop. */
  void answer(String from, Frame.Ask ask) {
    if (ask.lock().isEmpty()) {
      for (LockReport report : LockReport.of(host)) {
        post.send(from, new Frame.Answer(ask.question(), report));
      }
    } else {
      post.send(from, new Frame.Answer(ask.question(), LockReport.of(host, ask.lock())));
    }
    post.send(from, new Frame.Answer(ask.question(), null));
  }

  /** A part of an answer comes; on the loop. */
  void answered(String from, Frame.Answer answer) {
    Question question = open.get(answer.question());
    if (question == null || !question.awaited.contains(from)) {
      return;
    }
    LockReport report = answer.report();
    if (report != null) {
      question.reports.add(report);
      return;
    }
    question.awaited.remove(from);
    question.answered.add(from);
    if (question.awaited.isEmpty()) {
      goOn(answer.question(), question);
    }
  }

  /** This member leaves: what is known by now is the answer. */
  @Override
  public void close() {
    try {
      post.loop()
          .execute(
              () -> {
                closed = true;
                Map.copyOf(open).forEach(this::finish);
              });
    } catch (RejectedExecutionException e) {
      Map.copyOf(open).values().forEach(this::complete); // nobody else is here any more
    }
  }
}
