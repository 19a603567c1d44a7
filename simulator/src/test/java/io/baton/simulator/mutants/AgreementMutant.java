package io.baton.simulator.mutants;

import io.baton.simulator.agreement.Exploring;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A bug planted in a voter: one piece of its source replaced, and the voters explored with it.
 *
 * @param bounds the name of the bounds within which it shows
 * @param caughtBy the promise that has to notice
 * @param firstSeed where to begin: a bug that few walks show was found there before
 */
record AgreementMutant(
    String bug, String from, String to, String bounds, String caughtBy, long firstSeed) {
  private static final long WALKS = 300;
  private static final Path VOTER =
      Path.of("../agreement/src/main/java/io/baton/agreement/Voter.java");

  /** The same, looked for from another seed on. */
  AgreementMutant from(long seed) {
    return new AgreementMutant(bug, from, to, bounds, caughtBy, seed);
  }

  /** The promise that is broken first; empty: none is. */
  String explore() {
    try {
      Map<String, byte[]> changed = InMemory.compile("io/baton/agreement/Voter", VOTER, from, to);
      Class<?> exploring =
          new ReloadedClasses(changed, "io.baton.agreement.", "io.baton.simulator.agreement.")
              .loadClass(Exploring.class.getName());
      return (String)
          exploring
              .getMethod("firstBroken", String.class, long.class, long.class)
              .invoke(null, bounds, firstSeed, firstSeed + WALKS - 1);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(this + ": " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return bug;
  }
}
