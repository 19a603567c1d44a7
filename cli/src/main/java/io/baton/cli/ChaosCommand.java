package io.baton.cli;

import io.baton.cli.live.Fleet;
import io.baton.cli.live.Folders;
import io.baton.cli.live.History;
import io.baton.cli.live.Mischief;
import io.baton.cli.live.Mischief.Kind;
import io.baton.cli.live.Wires;
import io.baton.simulator.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton chaos}: real processes, and everything that goes wrong with them. */
@Command(
    name = "chaos",
    description = {
      "Disturb a cluster of real processes for a while and check its history: links are cut both",
      "ways and one way, a member is a bridge, links flap, messages take long; holders and leaders",
      "are killed and stopped; all are killed; members are restarted in turn; a log is torn."
    })
final class ChaosCommand extends Reporting {
  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "For how long. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--members",
      defaultValue = "5",
      description = "How many processes, from 3. Default: ${DEFAULT-VALUE}.")
  private int members;

  @Option(
      names = "--lease",
      paramLabel = "MILLIS",
      defaultValue = "1000",
      description = "The lease, in milliseconds. Default: ${DEFAULT-VALUE}.")
  private int lease;

  @Option(names = "--seed", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "KIND",
      description = "Only these, once each and in this order: ${COMPLETION-CANDIDATES}.")
  private @Nullable List<Kind> only;

  @Option(names = "--keep", description = "Leave what the processes wrote in this folder.")
  private @Nullable Path keep;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (members < 3 || lease < 200 || seconds < 1) {
      throw new BadInputException("at least 3 members, a lease of 200 ms, and a second");
    }
    Path folder =
        keep == null ? Files.createTempDirectory("baton-chaos") : Files.createDirectories(keep);
    Fleet.Setup setup =
        new Fleet.Setup(
            folder,
            members,
            3,
            2,
            1_000,
            Map.of(
                "lease", lease + "ms",
                "cluster", "chaos",
                "voters", "3",
                "replace-voter-after", "10s"));
    List<String> binds = Fleet.freeAddresses(members);
    Map<String, Integer> done = new LinkedHashMap<>();
    String stuck = "";
    try (Wires wires = new Wires(binds);
        Fleet fleet = Fleet.behind(setup, binds, wires)) {
      Thread hook = new Thread(fleet::close);
      Runtime.getRuntime().addShutdownHook(hook);
      Mischief mischief = new Mischief(fleet, wires, members, lease, seed, this::say);
      fleet.startAll();
      mischief.awaitAll();
      try {
        disturb(mischief, done);
      } catch (IOException e) {
        stuck = String.valueOf(e.getMessage());
      }
      Runtime.getRuntime().removeShutdownHook(hook);
    }
    int code = report(History.of(folder), done, stuck, folder);
    if (keep == null && code == Main.HELD) {
      Folders.delete(folder);
    }
    return code;
  }

  private void disturb(Mischief mischief, Map<String, Integer> done)
      throws IOException, InterruptedException {
    List<Kind> kinds = only == null ? List.of(Kind.values()) : only;
    Random chance = new Random(seed);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Kind> todo = new ArrayList<>();
    boolean more = true;
    while (more) {
      if (todo.isEmpty()) {
        todo.addAll(kinds);
        if (only == null) {
          Collections.shuffle(todo, chance);
        }
      }
      Kind kind = todo.remove(0);
      mischief.perform(kind);
      mischief.awaitTurns();
      done.merge(kind.name().toLowerCase(Locale.ROOT), 1, Integer::sum);
      more = only == null ? System.nanoTime() < end : !todo.isEmpty();
    }
  }

  private void say(String line) {
    err().println(line);
    err().flush();
  }

  private int report(History history, Map<String, Integer> done, String stuck, Path folder) {
    List<String> violations = new ArrayList<>(history.violations());
    if (!stuck.isEmpty()) {
      violations.add(stuck);
    }
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("members", members);
    object.put("seconds", Numbers.exact(history.duration() / 1e9));
    object.put("done", done);
    object.put("grants", history.holds().size());
    object.put("handOvers", history.handOvers());
    object.put("longestWaitSeconds", Numbers.exact(history.longestWait() / 1e9));
    object.put("lossesTold", history.losses());
    object.put("writes", history.writes());
    object.put("staleWritesRefused", history.stale());
    object.put("violations", violations.size());
    if (json) {
      out().println(Json.text(object));
    } else {
      object.forEach((key, value) -> out().printf("%-20s %s%n", key, value));
    }
    violations.stream().limit(10).forEach(err()::println);
    if (!violations.isEmpty()) {
      err().println("What the processes wrote is in " + folder);
    }
    return violations.isEmpty() ? Main.HELD : Main.BROKEN;
  }
}
