package io.baton.simulator.run;

import static io.baton.algorithms.Algorithm.NIL;
import static org.assertj.core.api.Assertions.assertThat;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Request;
import io.baton.algorithms.Snapshot;
import io.baton.algorithms.Token;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The checks along a request can fail. */
class RequestChecksTest {
  private final LockSystem system =
      Catalogue.build(SystemSpec.of(SystemSpec.Wish.of("raymond", 4), 1), options -> 0);
  private final Outbox outbox = new Outbox();
  private final Stage stage = new Stage(system, outbox);
  private final RequestPaths paths = new RequestPaths();

  private static final class Outbox implements Stage.Outbox {
    final List<Step.Delivery> sent = new ArrayList<>();

    @Override
    public void sent(Step.Delivery delivery) {
      sent.add(delivery);
    }

    @Override
    public void granted(int node, int resource) {}

    @Override
    public void alarmSet(int node, Alarm alarm, long delay) {}

    @Override
    public void inTransit(Snapshot.Visitor visitor) {}
  }

  private @Nullable String afterSending(Step.Delivery... deliveries) {
    paths.before(0, new Step.Enter(3), stage);
    for (Step.Delivery delivery : deliveries) {
      paths.sent(delivery);
    }
    Violation violation = paths.after(new Step.Enter(3), stage);
    return violation == null ? null : violation.invariant();
  }

  private static Step.Delivery request(int from, int to, int origin) {
    return new Step.Delivery(from, to, new Request(origin, 3));
  }

  private static Step.Delivery token(int from, int to) {
    return new Step.Delivery(from, to, new Token(NIL, 3, 0));
  }

  @Test
  void aRequestThatComesByTwiceIsNoticed() {
    assertThat(afterSending(request(3, 1, 3), request(1, 0, 3), request(0, 1, 3)))
        .isEqualTo("the path of a request is acyclic");
  }

  @Test
  void aTokenThatLeavesAProxyOutIsNoticed() {
    assertThat(afterSending(request(3, 1, 3), request(1, 0, 1), token(0, 3)))
        .isEqualTo("the token returns through the proxies");
  }

  @Test
  void aTokenThatComesBackAsTheRequestWentIsNot() {
    assertThat(afterSending(request(3, 1, 3), request(1, 0, 1), token(0, 1), token(1, 3))).isNull();
  }

  @Test
  void aRequestThatNobodyMadeIsNoticed() {
    paths.sent(new Step.Delivery(1, 0, new Request(1, 2)));
    Violation violation = paths.after(new Step.Enter(1), stage);
    assertThat(violation).isNotNull();
    assertThat(violation.invariant()).isEqualTo("no request without a claim");
  }

  @Test
  void aRequestThatCostsMoreThanItsBoundIsNoticed() {
    MessageBound bound =
        new MessageBound(new LockSystem(4, system.nodes(), List.of(), List.of(), 2, null));
    bound.sent(request(3, 1, 3));
    bound.sent(token(1, 3));
    assertThat(bound.after(new Step.Exit(3), stage)).isNull();
    for (int k = 0; k < 3; k++) {
      bound.sent(request(3, 1, 3));
    }
    Violation violation = bound.after(new Step.Exit(3), stage);
    assertThat(violation).isNotNull();
    assertThat(violation)
        .hasToString(
            "messages per request: the request of 4 cost 3 messages, theory says at most 2");
  }
}
