package io.baton;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How a resource uses fences: it remembers the largest it has seen and refuses smaller ones. Then a
 * holder that was stopped, and goes on although its lock has long been another's, does no harm: no
 * clock, pause or partition changes that.
 *
 * <p>The check must be one with the write that it protects: inside the resource, or in the same
 * transaction.
 */
public final class FenceGuard {
  /**
   * What {@link #check(Connection, String, long)} needs, in SQL that databases know. Its key is the
   * SHA-256 of the resource's name in UTF-8: how a database compares texts (many take small and
   * capital letters, or a space at the end, for the same) does not matter. The name itself is there
   * for people to read, as far as it is ASCII.
   */
  public static final String TABLE =
      "create table baton_fence (id char(64) primary key, resource varchar(512) not null,"
          + " fence bigint not null)";

  private static final String RAISE =
      "update baton_fence set fence = ? where id = ? and fence <= ?";
  private static final String IS_LARGER = // a select may read what was there long ago
      "update baton_fence set fence = fence where id = ? and fence > ?";
  private static final String BEGIN =
      "insert into baton_fence (id, resource, fence) values (?, ?, ?)";
  private static final int LONGEST = 512; // of a name, as it is shown

  /** A fence that is older than one already seen. */
  public static final class StaleFenceException extends IllegalStateException {
    private StaleFenceException(String resource, long fence) {
      super(
          "Fence "
              + fence
              + " for \""
              + resource
              + "\" is older than one already seen: the lock has had another holder since");
    }
  }

  private final ConcurrentMap<String, Long> largest = new ConcurrentHashMap<>();

  /** A guard in memory, for a resource in this process. */
  public FenceGuard() {}

  /**
   * Accepts the fence of the newest holder; the same one as often as it comes.
   *
   * @throws StaleFenceException if a newer holder has been here
   */
  public void check(String resource, long fence) {
    if (largest.merge(resource, fence, Math::max) != fence) {
      throw new StaleFenceException(resource, fence);
    }
  }

  /**
   * The same in a database, as a part of the caller's transaction: nothing is committed here, and a
   * transaction that fails is to be rolled back. The row stays locked until the transaction ends,
   * so that no newer holder slips in between the check and the write. A holder that is stopped in
   * the middle keeps the row too: let the database end transactions that lie idle.
   *
   * @throws StaleFenceException if a newer holder has been here
   * @throws SQLException if the database cannot tell; also where two holders come first at the same
   *     time and an isolation like repeatable read hides one from the other: begin anew
   */
  public static void check(Connection transaction, String resource, long fence)
      throws SQLException {
    Objects.requireNonNull(resource);
    if (transaction.getAutoCommit()) {
      throw new IllegalArgumentException(
          "The check of a fence and the write that it protects must be one transaction:"
              + " call setAutoCommit(false)");
    }
    if (!raise(transaction, resource, fence) && !begin(transaction, resource, fence)) {
      throw new StaleFenceException(resource, fence);
    }
  }

  private static String id(String resource) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(resource.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  private static String shown(String resource) {
    String ascii = resource.replaceAll("[^\\x20-\\x7e]", "?");
    return ascii.substring(0, Math.min(ascii.length(), LONGEST));
  }

  private static boolean raise(Connection transaction, String resource, long fence)
      throws SQLException {
    try (PreparedStatement raise = transaction.prepareStatement(RAISE)) {
      raise.setLong(1, fence);
      raise.setString(2, id(resource));
      raise.setLong(3, fence);
      return raise.executeUpdate() == 1;
    }
  }

  /**
   * The first fence of a resource; false where there is a larger one. Another holder may have begun
   * at the same time: then the row is there now. A database may void a transaction in which a
   * statement fails, but for what came before a savepoint. Why it failed, drivers tell in their own
   * ways: so the row is looked at.
   */
  private static boolean begin(Connection transaction, String resource, long fence)
      throws SQLException {
    Savepoint before = transaction.setSavepoint();
    try (PreparedStatement begin = transaction.prepareStatement(BEGIN)) {
      begin.setString(1, id(resource));
      begin.setString(2, shown(resource));
      begin.setLong(3, fence);
      return begin.executeUpdate() == 1;
    } catch (SQLException e) {
      rollBack(transaction, before, e);
      if (raise(transaction, resource, fence)) {
        return true;
      }
      if (!hasLarger(transaction, resource, fence)) {
        throw e;
      }
      return false;
    }
  }

  private static void rollBack(Connection transaction, Savepoint before, SQLException cause)
      throws SQLException {
    try {
      transaction.rollback(before);
    } catch (SQLException e) {
      cause.addSuppressed(e);
      throw cause;
    }
  }

  private static boolean hasLarger(Connection transaction, String resource, long fence)
      throws SQLException {
    try (PreparedStatement larger = transaction.prepareStatement(IS_LARGER)) {
      larger.setString(1, id(resource));
      larger.setLong(2, fence);
      return larger.executeUpdate() == 1;
    }
  }
}
