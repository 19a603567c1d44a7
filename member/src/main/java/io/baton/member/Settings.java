package io.baton.member;

/**
 * What a member is told about itself and its cluster. Times are in the unit of the host's clock.
 *
 * @param lease for how long a member may hold anything without renewing its lease
 * @param drift by how much a clock may run too fast or too slow, in parts per million
 * @param renewal the time between two renewals
 * @param resend after how long a letter that was not confirmed is sent again
 * @param ackDelay for how long a confirmation may wait for a letter to ride on
 * @param backlog with so many letters unconfirmed, new local requests wait (R26)
 * @param passes how many local callers in a row are served while another member waits
 * @param loansStay whether a borrower keeps the token until it is recalled (R18)
 * @param retireAfter a token idle for so long is forgotten in a change of epoch (R23)
 * @param retireBatch so many locks to forget are worth a change of epoch
 * @param counterBits of a fence
 * @param reportSize how many bytes of names go into one letter
 */
public record Settings(
    long lease,
    int drift,
    long renewal,
    long resend,
    long ackDelay,
    int backlog,
    int passes,
    boolean loansStay,
    long retireAfter,
    int retireBatch,
    int counterBits,
    int reportSize) {
  private static final long MILLION = 1_000_000;

  /** The defaults, with a second of so many units. */
  public static Settings ofSecond(long second) {
    return new Settings(
        5 * second,
        10_000,
        second,
        second / 4,
        second / 20,
        10_000,
        16,
        true,
        60 * second,
        100_000,
        36,
        48 << 10);
  }

  /** The same with another backlog. */
  public Settings withBacklog(int newBacklog) {
    return new Settings(
        lease,
        drift,
        renewal,
        resend,
        ackDelay,
        newBacklog,
        passes,
        loansStay,
        retireAfter,
        retireBatch,
        counterBits,
        reportSize);
  }

  /** The same with other limits on locks that are idle. */
  public Settings retiring(long after, int batch) {
    return new Settings(
        lease,
        drift,
        renewal,
        resend,
        ackDelay,
        backlog,
        passes,
        loansStay,
        after,
        batch,
        counterBits,
        reportSize);
  }

  /** The same without loans that stay, to compare with the plain algorithm. */
  public Settings withoutLoansThatStay() {
    return new Settings(
        lease,
        drift,
        renewal,
        resend,
        ackDelay,
        backlog,
        passes,
        false,
        retireAfter,
        retireBatch,
        counterBits,
        reportSize);
  }

  /** For how long one that only tries waits for an answer. */
  public long patience() {
    return lease / 5;
  }

  /** A lease by the clock of who holds it: sure to be over no later than the lease (R9). */
  long leaseAtMember() {
    return lease - (lease * drift + MILLION - 1) / MILLION;
  }

  /** A lease by the clock of who granted it: by then it is surely over (R11). */
  long leaseAtLeader(long length) {
    return length + (length * drift + MILLION - 1) / MILLION;
  }
}
