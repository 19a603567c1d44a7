package io.baton.member;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The links of one life to the lives of others: letters in order, none lost, none twice. */
final class Links {
  private final Settings settings;
  private final Output out;
  private final Map<Peer, Link> links = new LinkedHashMap<>();
  private final TreeSet<String> connected = new TreeSet<>(); // processes with a connection to here
  private Peer self;
  private @Nullable String relay; // the leader, where one is known
  private int unconfirmed;

  Links(Settings settings, Peer self, Output out) {
    this.settings = settings;
    this.self = self;
    this.out = out;
  }

  /** Begins a new life: all links are gone. */
  void begin(Peer newSelf) {
    self = newSelf;
    links.clear();
    unconfirmed = 0;
  }

  /** Whom to ask to pass on what cannot be sent straight. */
  void relayBy(String leader) {
    relay = leader;
  }

  void send(Peer to, Letter letter, long now) {
    Link link = links.computeIfAbsent(to, Link::new);
    link.accept(letter);
    unconfirmed++;
    sendNext(link, now);
  }

  private void sendNext(Link link, long now) {
    for (Link.Numbered letter : link.next(now, settings)) {
      Packet.Mail mail = mail(link, letter);
      if (connected.contains(link.peer.id())) {
        out.send(link.peer.id(), mail);
      } else {
        relay(mail);
      }
    }
  }

  private Packet.Mail mail(Link link, Link.Numbered letter) {
    return new Packet.Mail(self, link.peer, letter.seq(), link.ack(), letter.letter());
  }

  /** A new epoch begins: what still waits to be sent is of no use. */
  void beginEpoch() {
    unconfirmed = 0;
    for (Link link : links.values()) {
      link.forgetWaiting();
      unconfirmed += link.unconfirmed();
    }
  }

  private void relay(Packet.Mail mail) {
    if (relay != null && !relay.equals(mail.to().id()) && !relay.equals(self.id())) {
      out.send(relay, new Packet.Relayed(mail));
    }
  }

  /**
   * Takes in a packet.
   *
   * @param welcome whether a link to this peer may begin
   * @return the letter, if it is the next one on its link
   */
  @Nullable Letter take(Packet.Mail mail, boolean welcome, long now) {
    if (!mail.to().equals(self)) {
      return null; // for a former life
    }
    Link link = links.get(mail.from());
    if (link == null) {
      if (!welcome) {
        return null;
      }
      link = new Link(mail.from());
      links.put(mail.from(), link);
    }
    unconfirmed -= link.unconfirmed();
    Letter letter = link.take(mail, now, settings);
    unconfirmed += link.unconfirmed();
    sendNext(link, now);
    return letter;
  }

  /** Forgets links to lives that are over. */
  void retain(View view) {
    Iterator<Link> each = links.values().iterator();
    while (each.hasNext()) {
      Link link = each.next();
      if (!view.mayHave(link.peer)) {
        unconfirmed -= link.unconfirmed();
        each.remove();
      }
    }
  }

  /** A connection is there: what may have been lost on the former one is sent again. */
  void connected(String id, long now) {
    connected.add(id);
    for (Link link : links.values()) {
      if (link.peer.id().equals(id)) {
        resend(link, now);
      }
    }
  }

  void disconnected(String id) {
    connected.remove(id);
  }

  private void resend(Link link, long now) {
    for (Link.Numbered letter : link.again(now, settings)) {
      Packet.Mail mail = mail(link, letter);
      if (connected.contains(link.peer.id())) {
        out.send(link.peer.id(), mail);
      }
      relay(mail); // a connection may be there and let nothing through
    }
  }

  void tick(long now) {
    for (Link link : links.values()) {
      if (link.isResendDue(now)) {
        resend(link, now);
      }
      if (link.isAckDue(now)) {
        Packet.Mail ack = new Packet.Mail(self, link.peer, 0, link.ack(), null);
        boolean straight = connected.contains(link.peer.id());
        if (straight) {
          out.send(link.peer.id(), ack);
        }
        if (!straight || link.isUnheard()) {
          relay(ack);
        }
      }
    }
  }

  /** Whether new local requests may go out (R26). */
  boolean hasRoom() {
    return unconfirmed < settings.backlog();
  }

  long nextWake() {
    long next = Link.NEVER;
    for (Link link : links.values()) {
      next = Math.min(next, link.nextWake());
    }
    return next;
  }
}
