package io.baton.simulator.mutants;

import io.baton.simulator.cluster.ClusterFuzzer;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * A bug planted in a member: one piece of its sources replaced, and the whole of member and its
 * simulator loaded anew with it.
 *
 * @param file the class whose source is changed: of the member, or agreement/ and one of that
 * @param caughtBy the promises that may notice first
 * @param firstSeed where to begin: a bug that few schedules show was found there before
 */
record MemberMutant(
    String rule,
    String file,
    String from,
    String to,
    String bug,
    Set<String> caughtBy,
    int firstSeed) {
  private static final String AGREEMENT = "agreement/";

  /** The same, looked for from another seed on. */
  MemberMutant from(int seed) {
    return new MemberMutant(rule, file, from, to, bug, caughtBy, seed);
  }

  @Override
  public String toString() {
    return rule + ": " + bug;
  }

  /** The promises that seeds break, and how often. */
  Map<String, Long> survey(int least, int most, long fromSeed, long toSeed) {
    try {
      Class<?> fuzzer =
          new ReloadedClasses(
                  compile(),
                  "io.baton.agreement.",
                  "io.baton.member.",
                  "io.baton.simulator.cluster.")
              .loadClass(ClusterFuzzer.class.getName());
      Object made = fuzzer.getConstructor(int.class, int.class).newInstance(least, most);
      LongConsumer silent = done -> {};
      Object outcome =
          fuzzer
              .getMethod("survey", long.class, long.class, LongConsumer.class)
              .invoke(made, fromSeed, toSeed, silent);
      Map<String, Long> broken = new TreeMap<>();
      Map<?, ?> byPromise = (Map<?, ?>) outcome.getClass().getMethod("byPromise").invoke(outcome);
      byPromise.forEach((promise, count) -> broken.put((String) promise, (Long) count));
      return broken;
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private Map<String, byte[]> compile() {
    String type = "io/baton/" + (file.startsWith(AGREEMENT) ? file : "member/" + file);
    String module = file.startsWith(AGREEMENT) ? "agreement" : "member";
    Path source = Path.of("../" + module + "/src/main/java/" + type + ".java");
    return InMemory.compile(type, source, from, to);
  }
}
