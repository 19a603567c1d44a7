package io.baton.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.baton.simulator.random.Generator;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Trace;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the process of a node must know before it begins.
 *
 * @param system goes from process to process in the text of a trace, so that all build the same
 * @param life how often the node has crashed before
 * @param delta how long an alarm's unit of time lasts, in milliseconds
 */
record Setup(SystemSpec system, int node, int life, long seed, long delta) {
  void write(DataOutputStream out) throws IOException {
    byte[] text = Trace.of(system, List.of(), null).toString().getBytes(UTF_8);
    out.writeInt(text.length);
    out.write(text);
    out.writeInt(node);
    out.writeInt(life);
    out.writeLong(seed);
    out.writeLong(delta);
    out.flush();
  }

  static Setup read(DataInputStream in) throws IOException {
    byte[] text = new byte[in.readInt()];
    in.readFully(text);
    SystemSpec system = Trace.parse(new String(text, UTF_8), "the system").system();
    return new Setup(system, in.readInt(), in.readInt(), in.readLong(), in.readLong());
  }

  /** The system; what its rule leaves open each node draws for itself. */
  LockSystem build() {
    Generator choices = Generator.of(seed, "choices of " + node);
    return Catalogue.build(system, options -> choices.nextInt(options.size()));
  }

  /**
   * Whom a node has a channel to: in a network its neighbours, on a ring without acknowledgements
   * those beside it, else everybody.
   */
  static List<Integer> peers(SystemSpec system, int node) {
    int nodes = system.nodes();
    if (Catalogue.find(system.algorithm()).network() && system.graph() != null) {
      return system.graph().neighbours(node);
    }
    boolean beside = Catalogue.find(system.algorithm()).ring() && !system.ring().acks();
    return IntStream.range(0, nodes)
        .filter(other -> other != node)
        .filter(other -> !beside || (other + 1) % nodes == node || (node + 1) % nodes == other)
        .boxed()
        .toList();
  }
}
