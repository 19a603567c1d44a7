package io.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.algorithms.Message;
import io.baton.algorithms.Request;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class LinkTest {
  private static final Message FIRST = new Request(1, 1);
  private static final Message SECOND = new Request(2, 2);
  private static final Message THIRD = new Request(3, 3);

  private Selector selector;
  private SocketChannel theirs;
  private Link here;
  private Link there;

  @BeforeEach
  void connect() throws IOException {
    selector = Selector.open();
    try (ServerSocketChannel door = ServerSocketChannel.open()) {
      door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      here = new Link(SocketChannel.open(door.getLocalAddress()), selector);
      theirs = door.accept();
      there = new Link(theirs, selector);
    }
  }

  @AfterEach
  void close() throws IOException {
    theirs.close();
    selector.close();
  }

  /** Lets both ends read until something holds. */
  private void await(BooleanSupplier goal) throws IOException {
    while (!goal.getAsBoolean()) {
      selector.select(key -> ((Link) key.attachment()).read(), 10);
    }
  }

  private Message awaitMessage() throws IOException {
    Message[] next = {null};
    await(() -> (next[0] = there.next(true)) != null);
    return next[0];
  }

  @Test
  void theEndsTellEachOtherWhoTheyAre() throws IOException {
    here.greet(4, 2);
    await(there::isGreeted);
    assertThat(there.peer()).isEqualTo(4);
    assertThat(there.life()).isEqualTo(2);
  }

  @Test
  void whatTheOtherEndGotIsNotGivenBack() throws IOException {
    here.send(FIRST, true);
    here.send(SECOND, true);
    here.send(THIRD, true);
    assertThat(awaitMessage()).isEqualTo(FIRST);
    theirs.close();
    await(() -> here.next(true) == null && here.isOver());
    assertThat(here.unsent()).containsExactly(SECOND, THIRD);
  }

  @Test
  void whatWasSaidBeforeTheEndIsHeard() throws IOException {
    here.send(FIRST, true); // not read, so that the channel ends with a reset
    there.send(SECOND, true);
    theirs.close();
    List<Message> heard = new ArrayList<>();
    await(
        () -> {
          Message message = here.next(true);
          if (message != null) {
            heard.add(message);
          }
          return message == null && here.isOver();
        });
    assertThat(heard).containsExactly(SECOND);
    assertThat(here.unsent()).containsExactly(FIRST);
  }
}
