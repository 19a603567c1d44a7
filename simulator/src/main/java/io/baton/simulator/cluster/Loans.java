package io.baton.simulator.cluster;

import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Token;
import io.baton.member.Letter;
import io.baton.member.Packet;
import io.baton.member.View;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Which loans there are, and which of them were recalled, by the letters of lenders. */
final class Loans {
  private record Borrower(String lock, String id) {}

  private final Map<Borrower, Long> last = new HashMap<>();
  private final Map<Borrower, Set<Long>> recalled = new HashMap<>();

  /** A letter is sent for the first time. */
  void sent(Packet.Mail mail, View view) {
    Letter.Body body = Objects.requireNonNull(mail.letter()).body();
    if (body instanceof Letter.OfLock ofLock
        && ofLock.message() instanceof Token token
        && token.lender() != Algorithm.NIL
        && token.sink() < view.places().size()) { // else of a view that is over
      last.put(new Borrower(ofLock.lock(), view.at(token.sink()).id()), token.cargo());
    } else if (body instanceof Letter.Recall recall) {
      recalled(recall.lock(), mail.to().id(), recall.loan());
    } else if (body instanceof Letter.Inquiry inquiry) {
      recalled(inquiry.lock(), mail.to().id(), inquiry.loan());
    }
  }

  private void recalled(String lock, String id, long loan) {
    recalled.computeIfAbsent(new Borrower(lock, id), b -> new HashSet<>()).add(loan);
  }

  /** Whether the last loan to a member was. */
  boolean isRecalled(String lock, String id) {
    Borrower borrower = new Borrower(lock, id);
    return recalled.getOrDefault(borrower, Set.of()).contains(last.getOrDefault(borrower, 0L));
  }
}
