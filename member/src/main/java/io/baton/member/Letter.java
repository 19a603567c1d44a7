package io.baton.member;

import io.baton.algorithms.Message;
import java.util.List;

/**
 * What one member tells another over a link: in order, exactly once, within an epoch.
 *
 * @param view the sender's when it wrote; one who has not installed it lets the letter wait (R1)
 * @param epoch the sender's; a letter of an older one is thrown away (R1)
 */
public record Letter(long view, long epoch, Body body) {
  /** The content. */
  public sealed interface Body {}

  /** Of the algorithm of one lock: a request, a token. */
  public record OfLock(String lock, Message message) implements Body {}

  /**
   * From a lender to its borrower: somebody else asks (R19).
   *
   * @param loan the fence that the token carried when it was lent, which names the loan
   */
  public record Recall(String lock, long loan) implements Body {}

  /**
   * Tokens that live on in the new epoch, at who reports; to the founder at position 0 (R15).
   *
   * @param last whether this is the end of the report
   */
  public record Report(List<Survivor> survivors, boolean last) implements Body {
    /** The list is copied. */
    public Report {
      survivors = List.copyOf(survivors);
    }
  }

  /** All founders have reported: of the locks rooted at the addressee these have a token. */
  public record Settled(List<Survivor> survivors, boolean last) implements Body {
    /** The list is copied. */
    public Settled {
      survivors = List.copyOf(survivors);
    }
  }

  /**
   * A token that lives on.
   *
   * @param holder the position where it is
   * @param loan names it as a loan of its root, see {@link Recall}
   */
  public record Survivor(String lock, int holder, long loan) {}

  /** Whoever holds the lock with this fence shall lose it (R24). */
  public record Force(String lock, long fence) implements Body {}

  /**
   * The answer.
   *
   * @param ended whether the hold was here
   */
  public record Forced(String lock, long fence, boolean ended) implements Body {}
}
