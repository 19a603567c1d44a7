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

  /**
   * Of the algorithm of one lock: a request, a token, a refusal.
   *
   * @param attempt of a request: its sink only tries, and would rather be refused than wait
   */
  public record OfLock(String lock, Message message, boolean attempt) implements Body {}

  /**
   * From a lender to its borrower: somebody else asks (R19).
   *
   * @param loan the fence that the token carried when it was lent, which names the loan
   */
  public record Recall(String lock, long loan) implements Body {}

  /**
   * From one that waits behind the addressee, and has requests of some who only try: is the lock in
   * use with you, or waited for by a caller of yours? Where it is, the answer is {@link Busy}.
   *
   * @param loan where the addressee has the token on loan from the sender, which loan: it is to
   *     come back if it is not in use; −1: none
   * @param question its number, at the sender
   */
  public record Inquiry(String lock, long loan, int question) implements Body {}

  /** It is. */
  public record Busy(String lock, int question) implements Body {}

  /** Nobody at the sender wants the lock any more that it has asked for: it may be refused. */
  public record Withdrawn(String lock) implements Body {}

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
