package io.baton.cluster;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks all which locks are in use, those too that are no members now and wait to be some again; who
 * does not answer in time is left out.
 */
final class Gathering implements AutoCloseable {
  private static final long LIMIT_MILLIS = 2_000;

  private static final class Question {
    private final Set<String> awaited = new HashSet<>();
    private final List<LockReport> reports;
    private final CompletableFuture<List<LockReport>> answer = new CompletableFuture<>();

    Question(List<LockReport> reports) {
      this.reports = reports;
    }
  }

  private final Host host;
  private final Transport transport;
  private final AtomicLong last = new AtomicLong();

  // On the loop.
  private final Map<Long, Question> open = new LinkedHashMap<>();
  private boolean closed;

  Gathering(Host host, Transport transport) {
    this.host = host;
    this.transport = transport;
  }

  CompletableFuture<List<LockReport>> start() {
    long number = last.incrementAndGet();
    Question question = new Question(new ArrayList<>(LockReport.of(host)));
    try {
      transport.loop().execute(() -> ask(number, question));
    } catch (RejectedExecutionException e) { // this member has left
      question.answer.complete(question.reports);
    }
    return question.answer;
  }

  private void ask(long number, Question question) {
    open.put(number, question);
    question.awaited.addAll(transport.connected());
    question.awaited.forEach(id -> transport.send(id, new Frame.Ask(number)));
    if (closed || question.awaited.isEmpty()) {
      finish(number, question);
      return;
    }
    var unused =
        transport
            .loop()
            .schedule(() -> finish(number, question), LIMIT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void finish(long number, Question question) {
    if (open.remove(number) != null) {
      question.answer.completeAsync(() -> List.copyOf(question.reports));
    }
  }

  /** Answers another member, away from the loop. */
  void answer(String from, Frame.Ask ask) {
    for (LockReport report : LockReport.of(host)) {
      transport.send(from, new Frame.Answer(ask.question(), report));
    }
    transport.send(from, new Frame.Answer(ask.question(), null));
  }

  /** A part of an answer comes. */
  void answered(String from, Frame.Answer answer) {
    Question question = open.get(answer.question());
    if (question == null) {
      return;
    }
    LockReport report = answer.report();
    if (report != null) {
      question.reports.add(report);
    } else {
      question.awaited.remove(from);
      if (question.awaited.isEmpty()) {
        finish(answer.question(), question);
      }
    }
  }

  /** This member leaves: what is known by now is the answer. */
  @Override
  public void close() {
    transport
        .loop()
        .execute(
            () -> {
              closed = true;
              Map.copyOf(open).forEach(this::finish);
            });
  }
}
