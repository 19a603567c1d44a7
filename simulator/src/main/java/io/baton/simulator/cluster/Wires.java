package io.baton.simulator.cluster;

import io.baton.simulator.random.Generator;
import java.util.Arrays;
import java.util.List;

/**
 * Connections between processes, as TCP makes them: in order and without gaps as long as they last,
 * and when one breaks, what is under way on it is lost. A direction that is blocked lets nothing
 * through; after a while the connection breaks. Both ends are told, a little later.
 */
final class Wires {
  private static final long NOTICE = 20; // microseconds until an end is told
  private static final long REVIEW = 100_000;
  private static final int KEEP_ALIVE = 5; // reviews until a blocked connection breaks

  private static final class Connection {
    boolean up;
    int version;
    int silent; // reviews since it was blocked
    final long[] last = new long[2]; // when the last packet arrives, each way
    final boolean[] deaf = new boolean[2]; // something was lost: nothing more gets through
  }

  private final Schedule schedule;
  private final List<Site> sites;
  private final Generator chance;
  private final Case.Weather weather;
  private final Connection[][] connections;
  private final boolean[][] blocked; // from, to
  private boolean fair; // no more faults
  private boolean severed;

  Wires(Schedule schedule, List<Site> sites, Case.Weather weather, Generator chance) {
    this.schedule = schedule;
    this.sites = sites;
    this.weather = weather;
    this.chance = chance;
    int n = sites.size();
    this.connections = new Connection[n][n];
    this.blocked = new boolean[n][n];
    for (int a = 0; a < n; a++) {
      for (int b = a + 1; b < n; b++) {
        connections[a][b] = new Connection();
      }
    }
    schedule.after(1, this::review);
  }

  private Connection between(int a, int b) {
    return connections[Math.min(a, b)][Math.max(a, b)];
  }

  /** Whether packets get through from one process to the other. */
  boolean isOpen(int from, int to) {
    return !blocked[from][to];
  }

  void block(int from, int to, boolean state) {
    if (from != to) {
      blocked[from][to] = state;
      sever(severed);
    }
  }

  /** The weather is fine from now on. */
  void heal() {
    fair = true;
    for (boolean[] row : blocked) {
      Arrays.fill(row, false);
    }
    sever(severed);
  }

  /** The last two never have a connection. */
  void sever(boolean yes) {
    severed = yes;
    if (yes) {
      blocked[sites.size() - 1][sites.size() - 2] = true;
      blocked[sites.size() - 2][sites.size() - 1] = true;
    }
  }

  long delay() {
    long delay = 1 + chance.nextLong(weather.delay());
    boolean late = !fair && chance.nextBoolean(weather.lateShare());
    return late ? delay + chance.nextLong(weather.late()) : delay;
  }

  /** Sends something that happens at the other process when it arrives. */
  void send(int from, int to, Runnable arrival) {
    Site receiver = sites.get(to);
    int start = receiver.starts();
    if (from == to) {
      schedule.after(1 + chance.nextLong(10), () -> arrive(receiver, start, arrival));
      return;
    }
    Connection connection = between(from, to);
    int way = from < to ? 0 : 1;
    if (!connection.up) {
      return;
    }
    if (blocked[from][to]) {
      connection.deaf[way] = true;
    }
    if (connection.deaf[way]) {
      return;
    }
    int version = connection.version;
    long time = Math.max(connection.last[way] + 1, schedule.now() + delay());
    connection.last[way] = time;
    schedule.at(
        time,
        () -> {
          if (connection.version == version && !blocked[from][to]) {
            arrive(receiver, start, arrival);
          } else if (connection.version == version) {
            connection.deaf[way] = true;
          }
        });
    if (!fair && chance.nextBoolean(weather.doubled())) {
      schedule.at(time + delay(), () -> arrive(receiver, start, arrival));
    }
  }

  private static void arrive(Site receiver, int start, Runnable arrival) {
    if (receiver.starts() == start) {
      receiver.perform(arrival);
    }
  }

  /** The connection breaks, and what is under way is lost. */
  void cut(int a, int b) {
    Connection connection = between(a, b);
    if (a != b && connection.up) {
      connection.up = false;
      connection.version++;
      tell(a, b, false);
      tell(b, a, false);
    }
  }

  void cutAll(int a) {
    for (Site site : sites) {
      if (site.number != a) {
        cut(a, site.number);
      }
    }
  }

  private void tell(int whom, int of, boolean up) {
    Site site = sites.get(whom);
    String other = sites.get(of).id;
    int start = site.starts();
    schedule.after(
        NOTICE,
        () ->
            arrive(
                site,
                start,
                () -> {
                  List<String> everybody = sites.stream().map(each -> each.id).toList();
                  if (up) {
                    site.process().connected(other, everybody, site.clock());
                  } else {
                    site.process().disconnected(other, everybody, site.clock());
                  }
                }));
  }

  private void review() {
    for (int a = 0; a < sites.size(); a++) {
      for (int b = a + 1; b < sites.size(); b++) {
        review(a, b, connections[a][b]);
      }
    }
    schedule.after(fair ? REVIEW / 4 : REVIEW / 2 + chance.nextLong(REVIEW), this::review);
  }

  private void review(int a, int b, Connection connection) {
    boolean bad = blocked[a][b] || blocked[b][a] || connection.deaf[0] || connection.deaf[1];
    connection.silent = bad ? connection.silent + 1 : 0;
    if (connection.up && connection.silent > KEEP_ALIVE) {
      cut(a, b);
    }
    if (!connection.up
        && !blocked[a][b]
        && !blocked[b][a]
        && sites.get(a).isUp()
        && sites.get(b).isUp()) {
      connection.up = true;
      connection.version++;
      connection.deaf[0] = false;
      connection.deaf[1] = false;
      connection.silent = 0;
      tell(a, b, true);
      tell(b, a, true);
    }
  }
}
