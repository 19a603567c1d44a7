package io.baton.member;

import io.baton.member.Command.Change;
import io.baton.member.Command.Found;
import io.baton.member.Command.Newcomer;
import io.baton.member.Command.State;
import io.baton.member.View.Place;
import java.util.ArrayList;
import java.util.List;

/** What the agreed log amounts to: the latest view. Every voter applies the same entries to it. */
public final class Roster {
  private View view = View.NONE;
  private boolean open; // there has been a change since it was founded
  private boolean alone; // nobody else can join

  /**
   * Whether the cluster has been founded and nothing else has happened: nobody has been granted
   * anything yet (R5).
   */
  boolean isNew() {
    return !open;
  }

  /**
   * Whether all former lives of a member are over when a new one asks for its admission: no other
   * can be one, and its data folder is locked as long as its process lives.
   */
  boolean isOnly(String id) {
    return alone && view.places().stream().allMatch(place -> place.peer().id().equals(id));
  }

  /** The latest view. */
  public View view() {
    return view;
  }

  /**
   * Applies the next entry.
   *
   * @param index its place in the log, from 1
   * @param term the term in which it was logged
   * @return whether there is a new view
   */
  public boolean apply(long index, long term, Command command) {
    View before = view;
    if (command instanceof Found found) {
      view = foundedBy(index, found);
    } else if (command instanceof Change change) {
      view = changed(index, term, change);
    } else if (command instanceof State state) {
      view = state.view();
      open = state.open();
      alone = state.alone();
    } else {
      throw new IllegalArgumentException("An entry of unknown kind: " + command);
    }
    return !view.equals(before);
  }

  /** What the entries so far amount to. */
  public State state() {
    return new State(view, open, alone);
  }

  private View foundedBy(long index, Found found) {
    if (view.number() > 0) {
      return view; // minted once (R5)
    }
    open = found.alone();
    alone = found.alone();
    List<Place> places = new ArrayList<>();
    found.founders().forEach(newcomer -> places.add(placeOf(newcomer, index)));
    return new View(index, 1, places.size(), found.shape(), places);
  }

  private View changed(long index, long term, Change change) {
    if (change.term() != term || view.number() == 0) {
      return view; // a deposed leader's judgement (R11), or there is nothing to change
    }
    List<Place> places = new ArrayList<>(view.places());
    places.removeIf(place -> change.gone().contains(place.peer()));
    boolean newEpoch = places.size() < view.places().size() || change.renewed() == view.epoch();
    int stayed = places.size();
    for (Newcomer newcomer : change.admitted()) {
      if (places.stream().noneMatch(place -> place.peer().id().equals(newcomer.id()))) {
        newEpoch |= view.shape().isFull(view.founders(), places.size());
        places.add(placeOf(newcomer, index));
      }
    }
    if (!newEpoch && places.size() == stayed) {
      return view;
    }
    open = true;
    return newEpoch
        ? new View(index, view.epoch() + 1, places.size(), view.shape(), places)
        : new View(index, view.epoch(), view.founders(), view.shape(), places);
  }

  private static Place placeOf(Newcomer newcomer, long index) {
    return new Place(new Peer(newcomer.id(), index), newcomer.address(), newcomer.run());
  }
}
