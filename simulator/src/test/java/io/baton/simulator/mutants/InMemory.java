package io.baton.simulator.mutants;

import io.baton.agreement.Voter;
import io.baton.algorithms.GeneralScheme;
import io.baton.member.Member;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Compiles changed sources without writing a file. */
final class InMemory {
  private InMemory() {}

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The classes that one source gives in which a piece of text that it has once is replaced. */
  static Map<String, byte[]> compile(String path, Path file, String from, String to) {
    String source = read(file);
    int place = source.indexOf(from);
    if (place < 0 || source.indexOf(from, place + 1) >= 0) {
      throw new IllegalStateException("\"" + from + "\" does not fit " + file + " any more");
    }
    return compile(Map.of(path, source.replace(from, to)));
  }

  /** The classes that sources give, by name; sources by path, without its ending. */
  static Map<String, byte[]> compile(Map<String, String> sources) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Map<String, ByteArrayOutputStream> classes = new TreeMap<>();
    StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null);
    ForwardingJavaFileManager<StandardJavaFileManager> files =
        new ForwardingJavaFileManager<>(standard) {
          @Override
          public JavaFileObject getJavaFileForOutput(
              Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mem:///" + name), kind) {
              @Override
              public OutputStream openOutputStream() {
                return classes.computeIfAbsent(name, n -> new ByteArrayOutputStream());
              }
            };
          }
        };
    String classpath =
        Stream.of(GeneralScheme.class, Member.class, Voter.class, Nullable.class)
            .map(loaded -> home(loaded).toString())
            .collect(Collectors.joining(File.pathSeparator));
    StringWriter messages = new StringWriter();
    List<String> options = List.of("-cp", classpath, "-proc:none", "-nowarn");
    List<JavaFileObject> units = new ArrayList<>();
    sources.forEach((path, text) -> units.add(new Source(path, text)));
    if (!compiler.getTask(messages, files, null, options, null, units).call()) {
      throw new IllegalStateException("The mutant does not compile: " + messages);
    }
    Map<String, byte[]> bytes = new TreeMap<>();
    classes.forEach((name, stream) -> bytes.put(name, stream.toByteArray()));
    return bytes;
  }

  /** Where a class was loaded from. */
  private static Path home(Class<?> loaded) {
    return Path.of(
        URI.create(loaded.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String path, String text) {
      super(URI.create("mem:///" + path + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
