package io.baton.simulator.mutants;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Classes of some packages, loaded once more, a few of them changed. */
final class ReloadedClasses extends ClassLoader {
  private final Map<String, byte[]> changed;
  private final List<String> packages;

  /**
   * A loader.
   *
   * @param packages how the names begin of classes that know a changed one
   */
  ReloadedClasses(Map<String, byte[]> changed, String... packages) {
    super(ReloadedClasses.class.getClassLoader());
    this.changed = changed;
    this.packages = List.of(packages);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (packages.stream().noneMatch(name::startsWith)) {
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
