package io.baton.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Asks all members which locks are in use; who does not answer in time is left out. */
final class Gathering {
  private static final long LIMIT_MILLIS = 2_000;

  private static final class Question {
    private final Set<String> awaited;
    private final List<LockReport> reports;
    private final CompletableFuture<List<LockReport>> answer = new CompletableFuture<>();

    Question(Set<String> awaited, List<LockReport> reports) {
      this.awaited = awaited;
      this.reports = reports;
    }
  }

  private final Host host;
  private final Transport transport;
  private final AtomicLong last = new AtomicLong();
  private final Map<Long, Question> open = new LinkedHashMap<>(); // on the loop

  Gathering(Host host, Transport transport) {
    this.host = host;
    this.transport = transport;
  }

  CompletableFuture<List<LockReport>> start() {
    long number = last.incrementAndGet();
    Set<String> asked = new LinkedHashSet<>();
    host.view().places().forEach(place -> asked.add(place.peer().id()));
    asked.remove(host.origin().id());
    Question question = new Question(asked, new ArrayList<>(LockReport.of(host)));
    transport
        .loop()
        .execute(
            () -> {
              asked.retainAll(transport.connected());
              open.put(number, question);
              asked.forEach(id -> transport.send(id, new Frame.Ask(number)));
              finish(number, question, asked.isEmpty());
              var unused =
                  transport
                      .loop()
                      .schedule(
                          () -> finish(number, question, true),
                          LIMIT_MILLIS,
                          TimeUnit.MILLISECONDS);
            });
    return question.answer;
  }

  private void finish(long number, Question question, boolean done) {
    if (done && open.remove(number) != null) {
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
      finish(answer.question(), question, question.awaited.isEmpty());
    }
  }
}
