package io.baton.simulator.run;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Message;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What requests cost whose messages may still be under way when their critical section is over: a
 * flood goes on until it has reached everybody. Such messages have a ticket.
 */
final class Accounts {
  /** One request. */
  static final class Account {
    final int sink;
    private int requests; // messages by which the wish was spread
    private int others; // messages by which it was answered
    private int inTransit;
    private boolean granted;
    private boolean overtaken;

    private Account(int sink) {
      this.sink = sink;
    }

    int requests() {
      return requests;
    }

    int others() {
      return others;
    }

    int messages() {
      return requests + others;
    }

    /** Whether a later request of the same node came before this one had reached everybody. */
    boolean isOvertaken() {
      return overtaken;
    }

    private boolean isClosed() {
      return granted && inTransit == 0;
    }
  }

  private record Key(int sink, long ticket) {}

  private final Map<Key, Account> open = new HashMap<>(); // looked up, never iterated
  private final Map<Integer, Account> newest = new HashMap<>(); // by sink

  private static boolean hasTicket(Message message) {
    return message.sink() != NIL && message.ticket() != 0;
  }

  /** A message is sent. */
  void sent(Message message) {
    if (hasTicket(message)) {
      Key key = new Key(message.sink(), message.ticket());
      Account account = open.get(key);
      if (account == null) {
        account = new Account(message.sink());
        open.put(key, account);
        Account last = newest.put(message.sink(), account);
        if (last != null) {
          last.overtaken = true;
        }
      }
      account.inTransit++;
      account.requests += message.isRequest() ? 1 : 0;
      account.others += message.isRequest() ? 0 : 1;
    }
  }

  /** A node has handled a message, and sent all that it sends because of it; closed, or null. */
  @Nullable Account handled(Message message) {
    if (!hasTicket(message)) {
      return null;
    }
    Key key = new Key(message.sink(), message.ticket());
    Account account = open.get(key);
    if (account == null) {
      return null;
    }
    account.inTransit--;
    return account.isClosed() ? open.remove(key) : null;
  }

  /** A node has entered; whether its request has an account. */
  boolean granted(int node) {
    Account account = newest.get(node);
    if (account == null || account.granted) {
      return false;
    }
    account.granted = true;
    return true;
  }
}
