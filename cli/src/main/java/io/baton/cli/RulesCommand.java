package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.cluster.RuleTrial;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton rules}: which rule suits members best. */
@Command(
    name = "rules",
    sortOptions = false,
    description = {
      "Compare the rules by which members move the token of a lock: whole members in the simulator,"
          + " one lock, loans that stay. Letters per grant where calls are rare (and the most for"
          + " one call), letters per grant and waiting, in message delays, where all want the lock"
          + " at once, and what happens when the holder dies.",
      ""
    },
    footer = {"", "Example:  baton rules --members 3,16,64"})
final class RulesCommand extends Reporting {
  private static final int MOST = 128;

  @Option(
      names = "--members",
      split = ",",
      paramLabel = "N",
      defaultValue = "3,5,8,16,32,64",
      description = "How many members, with commas. Default: ${DEFAULT-VALUE}.")
  private List<Integer> members = List.of();

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "The seed. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Override
  public Integer call() {
    for (int size : members) {
      if (size < 2 || size > MOST) {
        throw new BadInputException("--members " + size + " cannot be: take 2 to " + MOST);
      }
    }
    List<RuleTrial> trials = new ArrayList<>();
    try (Progress progress =
        new Progress(err(), "trials", (long) members.size() * RuleTrial.rules().size())) {
      for (int size : members) {
        for (String rule : RuleTrial.rules()) {
          trials.add(RuleTrial.of(rule, size, seed));
          progress.update(trials.size());
        }
      }
    }
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("trials", trials.stream().map(RulesCommand::asJson).toList());
      out().println(Json.text(object));
    } else {
      print(trials);
    }
    out().flush();
    return Main.HELD;
  }

  private static Map<String, Object> asJson(RuleTrial trial) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("rule", trial.rule());
    object.put("members", trial.members());
    object.put("lettersPerGrantRare", Numbers.exact(trial.rare()));
    object.put("mostLettersRare", trial.worst());
    object.put("lettersPerGrantBusy", Numbers.exact(trial.busy()));
    object.put("meanWaitBusyDelays", Numbers.exact(trial.meanWait()));
    object.put("longestWaitBusyDelays", Numbers.exact(trial.longestWait()));
    object.put("recoverySeconds", Numbers.exact(trial.recovery()));
    object.put("lettersOfRecovery", Numbers.exact(trial.again()));
    object.put("lettersOfChange", Numbers.exact(trial.change()));
    return object;
  }

  private void print(List<RuleTrial> trials) {
    out()
        .println(
            "                        rare calls       all at once                 the holder dies");
    out()
        .println(
            "members  rule           letters  most    letters   wait  longest     next grant"
                + "  letters again  of change");
    for (RuleTrial trial : trials) {
      out()
          .printf(
              "%7d  %-13s  %7.2f %5d    %7.2f %6.0f  %7.0f     %8.2f s  %13.1f  %9.1f%n",
              trial.members(),
              trial.rule(),
              trial.rare(),
              trial.worst(),
              trial.busy(),
              trial.meanWait(),
              trial.longestWait(),
              trial.recovery(),
              trial.again(),
              trial.change());
    }
  }
}
