package io.baton.cli.live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What all processes noted, put together and held against the promises: fences are unique and rise
 * in the order of grants, holds of a lock do not overlap, and the files never went back.
 */
public final class History {
  /**
   * One hold.
   *
   * @param from when its holder knew of it
   * @param to the last instant at which its holder saw that it was held
   * @param end how it ended; empty: its process did
   */
  public record Held(
      String process, String lock, long fence, long from, long to, long waited, String end) {
    private Held until(long seen, String how) {
      return new Held(process, lock, fence, from, Math.max(from, seen), waited, how);
    }
  }

  /** One that tried to take a lock, and failed. */
  private record Try(String process, String lock, long from, long to) {}

  private final List<Held> holds = new ArrayList<>(); // by lock and fence
  private final List<String> violations = new ArrayList<>();
  private final Map<String, Long> letters = new LinkedHashMap<>(); // by process and life
  private final List<Try> tries = new ArrayList<>();
  private int elections;
  private long longestUnwon;
  private long stale;
  private long busy;
  private long writes;
  private int losses;

  private History() {}

  /** Reads what the processes of a folder noted, and checks it. */
  public static History of(Path folder) throws IOException {
    return of(folder, Long.MAX_VALUE);
  }

  /**
   * The same.
   *
   * @param longestUnwon for how many nanoseconds some may try to take a lock that nobody has
   */
  public static History of(Path folder, long longestUnwon) throws IOException {
    History history = new History();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        String name = String.valueOf(file.getFileName());
        if (name.endsWith(".diary")) {
          history.read(name.replace(".diary", ""), Diary.read(file));
        } else if (name.endsWith(".store")) {
          history.checkStore(name, Files.readAllBytes(file));
        }
      }
    }
    history.holds.sort(Comparator.comparing(Held::lock).thenComparingLong(Held::fence));
    history.checkHolds();
    history.checkTries(longestUnwon);
    return history;
  }

  private void read(String process, List<String[]> lines) {
    Map<String, Held> open = new LinkedHashMap<>();
    int life = 0;
    String leads = ""; // what it was elected for, in this life
    for (String[] line : lines) {
      long time = Long.parseLong(line[1]);
      switch (line[0]) {
        case "joined" -> {
          life++;
          leads = "";
        }
        case "grant" -> {
          Held held =
              new Held(
                  process,
                  line[2],
                  Long.parseLong(line[3]),
                  time,
                  time,
                  Long.parseLong(line[4]),
                  "");
          open.put(line[2] + " " + line[3], held);
        }
        case "elected" -> {
          elections++;
          if (!leads.isEmpty()) {
            violations.add(process + " was elected, and had not been told that it leads no more");
          }
          leads = line[2] + " " + line[3];
          open.put(leads, new Held(process, line[2], Long.parseLong(line[3]), time, time, 0, ""));
        }
        case "revoked" -> {
          Held held = open.remove(line[2] + " " + line[3]);
          leads = "";
          if (held == null) {
            violations.add(process + " was told that it leads no more, and was not elected");
          } else {
            holds.add(held.until(Long.parseLong(line[4]), line[5]));
          }
        }
        case "failed" -> tries.add(new Try(process, line[2], Long.parseLong(line[3]), time));
        case "end" -> {
          Held held = open.remove(line[2] + " " + line[3]);
          if (held == null) {
            violations.add(process + " ended a hold of " + line[2] + " that it never had");
          } else {
            holds.add(held.until(Long.parseLong(line[4]), line[5]));
          }
        }
        case "letters" -> letters.put(process + "#" + life, Long.parseLong(line[2]));
        case "write" -> writes++;
        case "stale" -> stale++;
        case "busy" -> busy++;
        case "lost" -> losses++;
        case "broken" -> violations.add(process + " broke: " + line[2]);
        default -> {}
      }
    }
    holds.addAll(open.values());
  }

  private void checkHolds() {
    for (int k = 1; k < holds.size(); k++) {
      Held before = holds.get(k - 1);
      Held after = holds.get(k);
      if (!before.lock().equals(after.lock())) {
        continue;
      }
      if (before.fence() == after.fence()) {
        violations.add("Two holds with one fence: " + before + " and " + after);
      } else if (before.to() > after.from()) {
        violations.add("Two holds overlap: " + before + " and " + after);
      }
    }
  }

  /** While some try to take a lock, one of them succeeds before long. */
  private void checkTries(long longest) {
    tries.sort(Comparator.comparingLong(Try::from));
    for (String lock : tries.stream().map(Try::lock).distinct().toList()) {
      TreeMap<Long, Held> grants = new TreeMap<>();
      holds.stream().filter(held -> held.lock().equals(lock)).forEach(h -> grants.put(h.from(), h));
      Map<Long, Long> began = new LinkedHashMap<>(); // by grant before: the first try that failed
      for (Try each : tries) {
        if (each.lock().equals(lock)) {
          Map.Entry<Long, Held> before = grants.floorEntry(each.to());
          long free = before == null ? 0 : before.getValue().to();
          if (each.from() > free) {
            long first = began.computeIfAbsent(free, time -> each.from());
            longestUnwon = Math.max(longestUnwon, each.to() - first);
          }
        }
      }
    }
    if (longestUnwon > longest) {
      violations.add(
          "For %d s nobody won a lock that some tried to take, and nobody had"
              .formatted(longestUnwon / 1_000_000_000L));
    }
  }

  private void checkStore(String name, byte[] content) {
    ByteBuffer records = ByteBuffer.wrap(content);
    long last = 0;
    while (records.remaining() >= Long.BYTES) {
      long fence = records.getLong();
      if (fence < last) {
        violations.add(name + " went back from fence " + last + " to " + fence);
      }
      last = fence;
    }
  }

  /** What was not as promised; nothing, one hopes. */
  public List<String> violations() {
    return violations;
  }

  /** All holds, by lock and fence. */
  public List<Held> holds() {
    return holds;
  }

  /** How often a lock went from one process to another. */
  public long handOvers() {
    long count = 0;
    for (int k = 1; k < holds.size(); k++) {
      Held before = holds.get(k - 1);
      Held after = holds.get(k);
      boolean sameLock = before.lock().equals(after.lock());
      count += sameLock && !before.process().equals(after.process()) ? 1 : 0;
    }
    return count;
  }

  /** Letters sent by all processes. */
  public long letters() {
    return letters.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Writes that files accepted. */
  public long writes() {
    return writes;
  }

  /** Writes that files refused, since a newer holder had been there. */
  public long stale() {
    return stale;
  }

  /** Writes given up, since a process that was stopped had the file for itself. */
  public long busy() {
    return busy;
  }

  /** Losses that holders were told of. */
  public int losses() {
    return losses;
  }

  /** The longest time that a granted request waited, in nanoseconds. */
  public long longestWait() {
    return holds.stream().mapToLong(Held::waited).max().orElse(0);
  }

  /** How often a leader was elected. */
  public int elections() {
    return elections;
  }

  /** How often somebody tried to take a lock. */
  public long tries() {
    return tries.size() + triesWon();
  }

  /** How often one that tried succeeded. */
  public long triesWon() {
    List<String> tried = tries.stream().map(Try::lock).distinct().toList();
    return holds.stream().filter(held -> tried.contains(held.lock())).count();
  }

  /** The longest time that a try took which failed, in nanoseconds; stops of its process count. */
  public long longestTry() {
    return tries.stream().mapToLong(each -> each.to() - each.from()).max().orElse(0);
  }

  /** For how long some tried to take a lock that nobody had, and nobody won it; in nanoseconds. */
  public long longestUnwon() {
    return longestUnwon;
  }

  /** From first to last grant, in nanoseconds. */
  public long duration() {
    long first = holds.stream().mapToLong(Held::from).min().orElse(0);
    long last = holds.stream().mapToLong(Held::from).max().orElse(0);
    return last - first;
  }

  /** When a lock was first granted with a greater fence than this one. */
  public OptionalLong nextGrant(String lock, long fence) {
    return holds.stream()
        .filter(held -> held.lock().equals(lock) && held.fence() > fence)
        .mapToLong(Held::from)
        .min();
  }

  /** The holds of each process, by name. */
  public Map<String, Long> shares() {
    Map<String, Long> shares = new LinkedHashMap<>();
    holds.forEach(held -> shares.merge(held.process(), 1L, Long::sum));
    return shares;
  }
}
