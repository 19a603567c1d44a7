package io.baton.cli.live;

import java.io.IOException;
import java.util.List;

/** A network between members that can be disturbed, each direction between two by itself. */
public interface Links extends AutoCloseable {
  /** Where members run so that they reach each other by these links only. */
  List<Place> places();

  /** Nothing gets from one to another, until that is mended. */
  void block(int from, int to) throws IOException, InterruptedException;

  /** All is well again. */
  void mend() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
