package io.baton.member;

import io.baton.member.Letter.Report;
import io.baton.member.Letter.Settled;
import io.baton.member.Letter.Survivor;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * The change to one epoch, R15 and R16: every founder reports which tokens live at it to the
 * founder at position 0, and that one, when all have, tells each founder which of the locks rooted
 * there have a token. 2(N − 1) letters for N founders, more only where names fill several. Nothing
 * here ever times out; a second change begins a new one of these.
 */
final class Settling {
  private static final int COLLECTOR = 0;

  private final View view;
  private final int position;
  private final int reportSize;
  private final BiConsumer<Integer, Letter.Body> sender;
  private final List<Survivor> gathered = new ArrayList<>(); // at the collector: of all founders
  private final TreeSet<Integer> reported = new TreeSet<>(); // at the collector: who is done
  private final List<Survivor> mine = new ArrayList<>(); // of the locks rooted here
  private boolean settled; // this founder knows which of its locks have a token

  Settling(View view, int position, int reportSize, BiConsumer<Integer, Letter.Body> sender) {
    this.view = view;
    this.position = position;
    this.reportSize = reportSize;
    this.sender = sender;
  }

  /** Whether a lock that is rooted here and not known to be elsewhere may get a token. */
  boolean isSettled() {
    return settled;
  }

  List<Survivor> survivorsOfMine() {
    return mine;
  }

  /** Tells the collector which tokens are here; true if all is known by that. */
  boolean report(List<Survivor> survivors) {
    List<List<Survivor>> parts = parts(survivors);
    boolean done = false;
    for (int k = 0; k < parts.size(); k++) {
      Report report = new Report(parts.get(k), k == parts.size() - 1);
      if (position == COLLECTOR) {
        done |= reported(position, report);
      } else {
        sender.accept(COLLECTOR, report);
      }
    }
    return done;
  }

  /** A part of a founder's report comes; true if the collector itself now knows all. */
  boolean reported(int from, Report report) {
    gathered.addAll(report.survivors());
    if (!report.last() || !reported.add(from) || reported.size() < view.founders()) {
      return false;
    }
    List<List<Survivor>> byRoot = new ArrayList<>();
    for (int founder = 0; founder < view.founders(); founder++) {
      byRoot.add(new ArrayList<>());
    }
    gathered.forEach(survivor -> byRoot.get(view.root(survivor.lock())).add(survivor));
    boolean done = false;
    for (int founder = 0; founder < view.founders(); founder++) {
      List<List<Survivor>> parts = parts(byRoot.get(founder));
      for (int k = 0; k < parts.size(); k++) {
        Settled part = new Settled(parts.get(k), k == parts.size() - 1);
        if (founder == position) {
          done |= settled(part);
        } else {
          sender.accept(founder, part);
        }
      }
    }
    gathered.clear();
    return done;
  }

  /** A part of the answer comes; true if it is the last. */
  boolean settled(Settled part) {
    mine.addAll(part.survivors());
    settled |= part.last();
    return part.last();
  }

  /** At least one part, and none with more bytes of names than fit into a letter. */
  private List<List<Survivor>> parts(List<Survivor> all) {
    List<List<Survivor>> parts = new ArrayList<>();
    List<Survivor> part = new ArrayList<>();
    int size = 0;
    for (Survivor survivor : all) {
      int bytes = 4 * survivor.lock().length() + 24;
      if (size + bytes > reportSize && !part.isEmpty()) {
        parts.add(part);
        part = new ArrayList<>();
        size = 0;
      }
      part.add(survivor);
      size += bytes;
    }
    parts.add(part);
    return parts;
  }
}
