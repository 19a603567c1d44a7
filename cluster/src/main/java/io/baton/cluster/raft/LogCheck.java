package io.baton.cluster.raft;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.util.MD5FileUtil;
import org.apache.ratis.util.SizeInBytes;

/** Looks through a log's files before Ratis opens them, for Ratis passes over much damage. */
final class LogCheck {
  private static final Pattern SNAPSHOT = Pattern.compile("snapshot\\.(\\d+)_(\\d+)");
  private static final TermIndex NONE = TermIndex.valueOf(0, -1);
  private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");

  private final Path folder;
  private final SizeInBytes largestEntry;
  private long lastIndex = -1;
  private long lastTerm;
  private boolean knowsVoters;
  private boolean keepsVoters; // in a file of their own
  private TermIndex snapshot = NONE; // the one that Ratis will take
  private boolean belied; // whether the snapshot has other entries than the segments
  private boolean goesOn; // whether the segments have entries from a time after the snapshot
  private final List<Path> read = new ArrayList<>();
  private final List<Path> leftOver = new ArrayList<>(); // of a deletion that was not finished

  private LogCheck(Path folder, SizeInBytes largestEntry) {
    this.folder = folder;
    this.largestEntry = largestEntry;
  }

  /** Throws if anything in the folder is damaged, or ends below the floor. */
  static void check(Path folder, SizeInBytes largestEntry, Floor floor) throws IOException {
    LogCheck check = new LogCheck(folder, largestEntry);
    long term = check.term();
    check.snapshot();
    check.voters();
    for (LogSegmentPath segment : check.segments()) {
      check.segment(segment);
    }
    long snapshot = check.snapshot.getIndex();
    boolean useless = check.belied || check.lastIndex < snapshot;
    long end = useless ? snapshot : check.lastIndex;
    if (end < floor.index()) {
      throw new IOException(
          String.format(
              "Damaged log in %s: it ends at %d, yet %d was committed",
              folder, end, floor.index()));
    }
    if (term < Math.max(floor.term(), check.lastTerm)) {
      throw new IOException(
          "Damaged file " + folder.resolve("current/raft-meta") + ": term " + term);
    }
    if (check.belied && check.goesOn) { // it may have said of those that it has them
      throw new IOException("Damaged log in " + folder + ": it does not fit its snapshot");
    }
    if (floor.index() >= 0 && !(useless ? check.keepsVoters : check.knowsVoters)) {
      throw new IOException("Damaged file " + folder.resolve("current/raft-meta.conf"));
    }
    check.delete(useless ? check.read : check.leftOver);
  }

  /**
   * Either all that they have is in the snapshot, and what a leader sends next does not connect
   * with them: Ratis would keep the last one, and could never write again. Or they have something
   * else than the snapshot, which is certain: Ratis would keep that, and send it to others.
   */
  private void delete(List<Path> files) throws IOException {
    if (files.isEmpty()) {
      return;
    }
    List<Path> all = new ArrayList<>(files);
    Collections.reverse(all); // should it end in between, the rest is to be deleted as well
    for (Path file : all) {
      Files.delete(file);
    }
    try (FileChannel changed =
        FileChannel.open(folder.resolve(RatisLog.CURRENT), StandardOpenOption.READ)) {
      changed.force(true);
    }
  }

  private long term() throws IOException {
    Path file = folder.resolve("current/raft-meta");
    Properties fields = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      fields.load(in);
      return Long.parseLong(fields.getProperty("term"));
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("Damaged or missing file " + file, e);
    }
  }

  /** Ratis takes the newest one with a checksum. */
  private void snapshot() throws IOException {
    for (Path file : list(folder.resolve("sm"))) {
      Matcher name = SNAPSHOT.matcher(file.getFileName().toString());
      if (name.matches() && Files.exists(Path.of(file + MD5FileUtil.MD5_SUFFIX))) {
        File found = file.toFile();
        MD5FileUtil.verifySavedMD5(found, MD5FileUtil.computeMd5ForFile(found));
        long index = Long.parseLong(name.group(2));
        if (index > snapshot.getIndex()) {
          snapshot = TermIndex.valueOf(Long.parseLong(name.group(1)), index);
        }
      }
    }
  }

  private void voters() throws IOException {
    Path file = folder.resolve("current/raft-meta.conf");
    if (Files.exists(file)) {
      try {
        keepVoters(LogEntryProto.parseFrom(Files.readAllBytes(file)));
        keepsVoters = knowsVoters;
      } catch (IOException e) {
        throw new IOException("Damaged file " + file, e);
      }
    }
  }

  private void keepVoters(LogEntryProto entry) {
    knowsVoters |= entry.getConfigurationEntry().getPeersCount() > 0;
  }

  private List<LogSegmentPath> segments() throws IOException {
    List<LogSegmentPath> segments = new ArrayList<>();
    for (Path file : list(folder.resolve(RatisLog.CURRENT))) {
      LogSegmentPath segment = LogSegmentPath.matchLogSegment(file);
      if (segment != null) {
        segments.add(segment);
      }
    }
    segments.sort(Comparator.comparing(LogSegmentPath::getStartEnd));
    return segments;
  }

  private void segment(LogSegmentPath segment) throws IOException {
    Path file = segment.getPath();
    long before = lastIndex;
    List<Long> first = new ArrayList<>(1);
    try {
      LogSegment.readSegmentFile(
          file.toFile(),
          segment.getStartEnd(),
          largestEntry,
          CorruptionPolicy.EXCEPTION,
          null,
          entry -> {
            if (first.isEmpty()) {
              first.add(entry.getIndex());
            }
            lastIndex = entry.getIndex();
            lastTerm = entry.getTerm();
            belied |= isBelied(TermIndex.valueOf(entry));
            goesOn |= lastIndex >= snapshot.getIndex() && lastTerm >= snapshot.getTerm();
            keepVoters(entry);
          });
    } catch (IOException | RuntimeException e) {
      throw new IOException("Damaged file " + file + ": " + e.getMessage(), e);
    }
    Matcher closed = CLOSED.matcher(file.getFileName().toString());
    if (closed.matches()
        && (first.isEmpty()
            || first.get(0) != Long.parseLong(closed.group(1))
            || lastIndex != Long.parseLong(closed.group(2)))) {
      throw new IOException("Damaged file " + file + ": entries are missing");
    }
    long after = snapshot.getIndex() + 1;
    long expected = before >= 0 ? before + 1 : after;
    if (!first.isEmpty() && before >= 0 && before < first.get(0) && first.get(0) <= after) {
      if (first.get(0) > expected) { // Ratis deletes what is in the snapshot, the latest first
        leftOver.clear();
        leftOver.addAll(read);
      }
    } else if (!first.isEmpty()
        && (before >= 0 ? first.get(0) != expected : first.get(0) > expected)) {
      throw new IOException(
          String.format("Damaged log: %s begins at %d, not %d", file, first.get(0), expected));
    }
    read.add(file);
  }

  /** Whether it is another entry than the snapshot's last one, or comes after another. */
  private boolean isBelied(TermIndex entry) {
    return entry.getIndex() == snapshot.getIndex()
        ? entry.getTerm() != snapshot.getTerm()
        : entry.getIndex() > snapshot.getIndex() && entry.getTerm() < snapshot.getTerm();
  }

  private static List<Path> list(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }
}
