package io.baton.cli.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Small disks that members keep their data on, so that they can be filled. Needs root. */
public final class Disks {
  private static final int MEGABYTES = 16;
  private static final String FILLER = "filler";
  private static final int PORTION = 4 << 10;

  private final Fleet fleet;

  /** One for each member, gone with the namespace of mounts that this is done in. */
  public Disks(Fleet fleet) throws IOException, InterruptedException {
    this.fleet = fleet;
    for (int k = 0; k < fleet.size(); k++) {
      Files.createDirectories(fleet.homeOf(k));
      Shells.run("mount -t tmpfs -o size=" + MEGABYTES + "m baton " + fleet.homeOf(k));
    }
  }

  /** Takes them away; their processes must have ended. */
  public void unmount() throws IOException, InterruptedException {
    for (int k = 0; k < fleet.size(); k++) {
      Shells.run("umount " + fleet.homeOf(k));
    }
  }

  /** Writes until nothing more fits. */
  public void fill(int member) throws IOException {
    Path filler = fleet.homeOf(member).resolve(FILLER);
    byte[] portion = new byte[PORTION];
    Files.write(filler, new byte[0]);
    try {
      while (Files.size(filler) < (long) MEGABYTES << 20) {
        Files.write(filler, portion, StandardOpenOption.APPEND);
      }
    } catch (IOException e) {
      return; // it is full
    }
    throw new IOException("The disk of " + Fleet.name(member) + " does not get full");
  }

  /** There is room again. */
  public void free(int member) throws IOException {
    Files.deleteIfExists(fleet.homeOf(member).resolve(FILLER));
  }
}
