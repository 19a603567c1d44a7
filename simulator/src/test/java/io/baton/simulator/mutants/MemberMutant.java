package io.baton.simulator.mutants;

import io.baton.simulator.cluster.ClusterFuzzer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
 * @param file the class whose source is changed
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
  private static final Path SOURCES = Path.of("../member/src/main/java/io/baton/member");

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
      Class<?> fuzzer = new Loader(compile()).loadClass(ClusterFuzzer.class.getName());
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
    String source = InMemory.read(SOURCES.resolve(file + ".java"));
    int place = source.indexOf(from);
    if (place < 0 || source.indexOf(from, place + 1) >= 0) {
      throw new IllegalStateException("Mutant \"" + this + "\" does not fit " + file + " any more");
    }
    return InMemory.compile(Map.of("io/baton/member/" + file, source.replace(from, to)));
  }

  /** Has classes of its own of everything that knows a member. */
  private static final class Loader extends ClassLoader {
    private final Map<String, byte[]> changed;

    Loader(Map<String, byte[]> changed) {
      super(MemberMutant.class.getClassLoader());
      this.changed = changed;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("io.baton.member.") && !name.startsWith("io.baton.simulator.cluster.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : findClass(name);
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] bytes = changed.get(name);
      if (bytes == null) {
        bytes = original(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] original(String name) throws ClassNotFoundException {
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        return in.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
