package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.FenceGuard.StaleFenceException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FenceGuardTest {
  private static final String URL = "jdbc:h2:mem:fences;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";

  @BeforeEach
  void makeTable() throws SQLException {
    try (Connection connection = connect()) {
      execute(connection, FenceGuard.TABLE);
      execute(connection, "create table account (id varchar(20) primary key, amount int)");
      execute(connection, "insert into account values ('a', 0)");
      connection.commit();
    }
  }

  @AfterEach
  void drop() throws SQLException {
    try (Connection connection = connect()) {
      execute(connection, "drop all objects");
    }
  }

  @Test
  void anOlderHolderIsRefusedAfterANewerOne() {
    FenceGuard guard = new FenceGuard();
    guard.check("store", 7);
    guard.check("store", 7);
    guard.check("other", 3);
    guard.check("store", 9);
    assertThatThrownBy(() -> guard.check("store", 8))
        .isInstanceOf(StaleFenceException.class)
        .hasMessageContaining("Fence 8 for \"store\" is older");
  }

  @Test
  void aDatabaseRefusesAnOlderHolderAndItsWrite() throws SQLException {
    add(5, 100);
    add(5, 1);
    add(6, 10);
    assertThatThrownBy(() -> add(5, 1_000)).isInstanceOf(StaleFenceException.class);
    assertThat(amount()).isEqualTo(111);
  }

  @Test
  void namesThatADatabaseTakesForTheSameAreDifferentResources() throws SQLException {
    try (Connection connection = connect()) {
      execute(connection, "drop table baton_fence");
      execute(connection, "set ignorecase true"); // as MySQL compares texts
      execute(connection, FenceGuard.TABLE);
      FenceGuard.check(connection, "order-A", 9);
      FenceGuard.check(connection, "order-a", 1);
      FenceGuard.check(connection, "order-a ", 2);
      FenceGuard.check(connection, "örder", 3);
      FenceGuard.check(connection, "?rder", 1);
      assertThatThrownBy(() -> FenceGuard.check(connection, "order-A", 8))
          .isInstanceOf(StaleFenceException.class);
    }
  }

  @Test
  void aWriteThatIsRolledBackLeavesNoFence() throws SQLException {
    try (Connection connection = connect()) {
      FenceGuard.check(connection, "a", 9);
      connection.rollback();
    }
    add(8, 1);
    assertThat(amount()).isEqualTo(1);
  }

  @Test
  void withoutATransactionTheCheckIsRefused() throws SQLException {
    try (Connection connection = connect()) {
      connection.setAutoCommit(true);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> FenceGuard.check(connection, "a", 1))
          .withMessageContaining("must be one transaction");
    }
  }

  @Test
  void ofManyAtOnceTheDatabaseTakesRisingFencesOnly() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(8);
    for (int k = 1; k <= 8; k++) {
      long fence = k;
      new Thread(
              () -> {
                try {
                  add(fence, 1);
                  accepted.incrementAndGet();
                } catch (StaleFenceException e) {
                  refused.incrementAndGet();
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                } finally {
                  done.countDown();
                }
              })
          .start();
    }
    done.await();
    assertThat(accepted.get() + refused.get()).isEqualTo(8);
    assertThat(amount()).isEqualTo(accepted.get());
    assertThatThrownBy(() -> add(7, 1)).isInstanceOf(StaleFenceException.class);
  }

  @Test
  void whoWritesFirstAtTheSameTimeAsAnotherIsNotRefusedForThat() throws Exception {
    try (Connection older = connect();
        Connection newer = connect()) {
      FenceGuard.check(older, "new", 1); // the row is there, and not committed
      execute(newer, "update account set amount = 7 where id = 'a'");
      Connection last =
          beforeInserts(
              newer,
              () -> {
                older.commit();
                return null;
              });
      FenceGuard.check(last, "new", 2);
      newer.commit();
    }
    assertThat(amount()).as("what it wrote before").isEqualTo(7);
    try (Connection connection = connect()) {
      assertThatThrownBy(() -> FenceGuard.check(connection, "new", 1))
          .isInstanceOf(StaleFenceException.class);
    }
  }

  /** The row of the other is there, and hidden: that does not make anybody older. */
  @Test
  void whoCannotSeeTheOtherIsNotCalledStale() throws Exception {
    try (Connection other = connect();
        Connection mine = connect()) {
      execute(mine, "set session characteristics as transaction isolation level snapshot");
      execute(mine, "update account set amount = 7 where id = 'a'");
      FenceGuard.check(other, "new", 1);
      other.commit();
      assertThatThrownBy(() -> FenceGuard.check(mine, "new", 2)).isInstanceOf(SQLException.class);
      mine.rollback();
      FenceGuard.check(mine, "new", 2);
    }
  }

  @Test
  void aStaleFenceIsToldWhateverTheDriverSaysOfTheInsert() throws Exception {
    add(9, 1);
    try (Connection connection = connect()) {
      Connection silent =
          beforeInserts(
              connection,
              () -> {
                throw new SQLException("It is there already");
              });
      assertThatThrownBy(() -> FenceGuard.check(silent, "a", 8))
          .isInstanceOf(StaleFenceException.class);
      assertThatThrownBy(() -> FenceGuard.check(silent, "other", 8))
          .hasMessage("It is there already");
    }
  }

  /** A connection; just before it inserts, something is done. */
  private static Connection beforeInserts(Connection mine, Callable<?> action) {
    return (Connection)
        Proxy.newProxyInstance(
            FenceGuardTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (arguments != null && String.valueOf(arguments[0]).startsWith("insert")) {
                action.call();
              }
              return method.invoke(mine, arguments);
            });
  }

  private static Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(URL);
    connection.setAutoCommit(false);
    return connection;
  }

  private static void add(long fence, int amount) throws SQLException {
    try (Connection connection = connect()) {
      try {
        FenceGuard.check(connection, "a", fence);
        execute(connection, "update account set amount = amount + " + amount + " where id = 'a'");
        connection.commit();
      } finally {
        connection.rollback();
      }
    }
  }

  private static int amount() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select amount from account")) {
      result.next();
      return result.getInt(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
