package io.baton.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.algorithms.Message;
import io.baton.algorithms.Rule;
import io.baton.algorithms.Token;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A borrower and its recalls. */
class LockShareTest {
  private final List<String> sent = new ArrayList<>();
  private final LockShare share =
      new LockShare("x", 1, 0, Rule.ALWAYS_PROXY, new Plain(Settings.ofSecond(1_000)));

  private Cluster.Told borrow(long loan, long... recalls) {
    Cluster.Told caller = new Cluster.Told();
    share.acquire(caller);
    for (long recall : recalls) {
      share.recalled(recall);
    }
    share.receive(0, new Token(0, 1, loan), false);
    assertThat(caller.told).containsExactly("granted");
    sent.clear();
    share.leave(caller);
    return caller;
  }

  @Test
  void aLoanStaysUntilItIsRecalled() {
    borrow(7);
    assertThat(sent).isEmpty();
    share.recalled(7);
    assertThat(sent).containsExactly("0 token(nil)");
  }

  @Test
  void aRecallMayComeBeforeItsTokenAndAnOlderOneAfterIt() {
    borrow(7, 7, 0);
    assertThat(sent).containsExactly("0 token(nil)");
  }

  @Test
  void aStaleRecallIsIgnored() {
    borrow(7, 3);
    share.recalled(3);
    assertThat(sent).isEmpty();
  }

  /** A root that does not know yet to whom the token was lent: somebody tries, another waits. */
  private LockShare rootWith(Cluster.Told tries, Cluster.Told waits) {
    Plain host = new Plain(Settings.ofSecond(1_000));
    LockShare root = new LockShare("x", 0, -1, Rule.ALWAYS_PROXY, host);
    root.attempt(tries);
    root.acquire(waits);
    assertThat(sent).isEmpty();
    return root;
  }

  @Test
  void whoTriedBeforeAnotherWaitedHereIsAnsweredByTheBorrower() {
    Cluster.Told tries = new Cluster.Told();
    Cluster.Told waits = new Cluster.Told();
    LockShare root = rootWith(tries, waits);
    root.settle(1, 7);
    assertThat(sent).containsExactly("recall 1", "inquire 1");
    root.answeredBusy(1, 1);
    assertThat(tries.told).containsExactly("refused");
    root.receive(1, new Token(-1, -1, 8), false);
    assertThat(waits.told).as("it has kept its place").containsExactly("granted");
  }

  @Test
  void whoTriedBeforeAnotherWaitedHereComesBeforeIt() {
    Cluster.Told tries = new Cluster.Told();
    Cluster.Told waits = new Cluster.Told();
    LockShare root = rootWith(tries, waits);
    root.settle(-1, 0);
    assertThat(tries.told).containsExactly("granted");
    assertThat(waits.told).isEmpty();
  }

  @Test
  void whoWaitsBehindOneThatTriesNoMoreHasTheLoanRecalled() {
    Cluster.Told tries = new Cluster.Told();
    Cluster.Told waits = new Cluster.Told();
    LockShare root = rootWith(tries, waits);
    root.quit(tries);
    root.settle(1, 7);
    assertThat(sent).containsExactly("recall 1");
  }

  private final class Plain implements LockShare.Host {
    private final Settings settings;

    Plain(Settings settings) {
      this.settings = settings;
    }

    @Override
    public Settings settings() {
      return settings;
    }

    @Override
    public long epoch() {
      return 1;
    }

    @Override
    public long now() {
      return 0;
    }

    @Override
    public boolean mayGrant() {
      return true;
    }

    @Override
    public boolean mayAsk(LockShare lock) {
      return true;
    }

    @Override
    public int passes(LockShare lock) {
      return settings().passes();
    }

    @Override
    public void send(LockShare lock, int to, Message message, boolean attempt) {
      sent.add(to + " " + message);
    }

    @Override
    public void recall(LockShare lock, int borrower, long loan) {
      sent.add("recall " + borrower);
    }

    @Override
    public void inquire(LockShare lock, int of, long loan, int question) {
      sent.add("inquire " + of);
    }

    @Override
    public void busy(LockShare lock, int asker, int question) {
      sent.add("busy " + asker);
    }

    @Override
    public void withdraw(LockShare lock) {
      sent.add("withdraw");
    }

    @Override
    public void released(LockShare lock) {
      // nothing ends by itself here
    }

    @Override
    public void numbersRunShort() {
      sent.add("numbers");
    }
  }
}
