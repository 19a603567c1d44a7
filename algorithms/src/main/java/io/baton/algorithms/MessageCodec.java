package io.baton.algorithms;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every message as a sequence of whole numbers, and back; a host makes bytes of them. The first
 * number says which message it is.
 */
public final class MessageCodec {
  /** Takes the numbers of a message, one after the other. */
  @FunctionalInterface
  public interface Writer {
    void number(long value);
  }

  /** Gives the numbers of a message, one after the other. */
  @FunctionalInterface
  public interface Reader {
    long number();
  }

  private enum Kind {
    REQUEST,
    TOKEN,
    ANOMALY,
    ANOMALY_NOTICE,
    ENQUIRY,
    ENQUIRY_ANSWER,
    TEST,
    TEST_ANSWER,
    CENSUS,
    CENSUS_HERE,
    RING_TOKEN,
    RING_ACK,
    RING_JOIN,
    RING_WELCOME,
    NETWORK_REQUEST,
    NETWORK_TOKEN,
    NETWORK_NEWS,
    REFUSAL
  }

  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final List<Enquiry.Outcome> OUTCOMES = List.of(Enquiry.Outcome.values());
  private static final List<Test.Verdict> VERDICTS = List.of(Test.Verdict.values());

  private final Writer out;

  private MessageCodec(Writer out) {
    this.out = out;
  }

  /** Writes a message as numbers. */
  public static void write(Message message, Writer out) {
    new MessageCodec(out).write(message);
  }

  private void write(Message message) {
    if (message instanceof Request m) {
      numbers(Kind.REQUEST, m.origin(), m.sink(), flag(m.firm()));
    } else if (message instanceof Token m) {
      numbers(Kind.TOKEN, m.lender(), m.sink(), m.cargo());
      names(m.relays());
    } else if (message instanceof Refusal m) {
      numbers(Kind.REFUSAL, m.sink());
    } else if (message instanceof Anomaly m) {
      numbers(Kind.ANOMALY, m.instead());
    } else if (message instanceof Anomaly.Notice) {
      numbers(Kind.ANOMALY_NOTICE);
    } else if (message instanceof Enquiry) {
      numbers(Kind.ENQUIRY);
    } else if (message instanceof Enquiry.Answer m) {
      numbers(Kind.ENQUIRY_ANSWER, OUTCOMES.indexOf(m.outcome()));
    } else if (message instanceof Test m) {
      numbers(Kind.TEST, m.d(), flag(m.asks()));
    } else if (message instanceof Test.Answer m) {
      numbers(Kind.TEST_ANSWER, VERDICTS.indexOf(m.verdict()));
    } else if (message instanceof Census) {
      numbers(Kind.CENSUS);
    } else if (message instanceof Census.Here m) {
      numbers(Kind.CENSUS_HERE, m.root());
    } else if (message instanceof RingToken m) {
      numbers(Kind.RING_TOKEN);
      ringToken(m);
    } else if (message instanceof RingToken.Ack m) {
      numbers(Kind.RING_ACK);
      ringToken(m.token());
    } else if (message instanceof RingJoin m) {
      numbers(Kind.RING_JOIN);
      stamp(m.asked());
    } else if (message instanceof RingJoin.Welcome m) {
      numbers(Kind.RING_WELCOME, m.hSeqNumSeen());
      stamp(m.asked());
      out.number(m.cargos().size());
      m.cargos().forEach(out::number);
    } else {
      writeOfNetwork(message);
    }
  }

  private void writeOfNetwork(Message message) {
    if (message instanceof NetworkRequest m) {
      numbers(Kind.NETWORK_REQUEST, m.origin());
      stamp(m.stamp());
      names(m.alreadySeen());
      names(m.brothers());
      names(m.uncles());
    } else if (message instanceof NetworkToken m) {
      numbers(Kind.NETWORK_TOKEN, m.elec(), m.hop(), m.cargo());
      stamp(m.stamp());
      names(m.path());
      names(m.visited());
      stamps(m.lud());
      stamps(m.stranded());
      stamps(m.asOf());
    } else if (message instanceof NetworkNews m) {
      numbers(Kind.NETWORK_NEWS, m.clock());
      lives(m.lives());
      stamps(m.changes());
      stamps(m.requests());
      stamps(m.served());
      census(m.census());
    } else {
      throw new IllegalArgumentException(
          "No number is known for " + message.getClass().getSimpleName() + ": give it one here");
    }
  }

  private void numbers(Kind kind, long... values) {
    out.number(KINDS.indexOf(kind));
    for (long value : values) {
      out.number(value);
    }
  }

  private static int flag(boolean value) {
    return value ? 1 : 0;
  }

  private void names(List<Integer> names) {
    out.number(names.size());
    names.forEach(out::number);
  }

  private void ringToken(RingToken token) {
    out.number(token.resource());
    out.number(token.seqNum());
    out.number(token.pid());
    out.number(flag(token.resend()));
    out.number(token.cargo());
  }

  private void stamp(Stamp stamp) {
    out.number(stamp.life());
    out.number(stamp.time());
  }

  private void stamps(ByProcess<Stamp> stamps) {
    out.number(stamps.size());
    stamps.forEach(
        (process, stamp) -> {
          out.number(process);
          stamp(stamp);
        });
  }

  private void lives(ByProcess<Integer> lives) {
    out.number(lives.size());
    lives.forEach(
        (process, life) -> {
          out.number(process);
          out.number(life);
        });
  }

  private void census(@Nullable NetworkCensus census) {
    out.number(flag(census != null));
    if (census != null) {
      out.number(census.asker());
      out.number(census.life());
      out.number(census.number());
      lives(census.lives());
      out.number(census.answers().size());
      census
          .answers()
          .forEach(
              (process, answer) -> {
                out.number(process);
                out.number(answer.hop());
                out.number(answer.to());
                out.number(answer.toLife());
                stamp(answer.served());
                out.number(answer.cargo());
              });
    }
  }

  /** Reads the message whose numbers {@link #write} gave. */
  public static Message read(Reader in) {
    int number = name(in);
    if (number < 0 || number >= KINDS.size()) {
      throw new IllegalArgumentException("No message has the number " + number);
    }
    return switch (KINDS.get(number)) {
      case REQUEST -> new Request(name(in), name(in), isSet(in));
      case TOKEN -> new Token(name(in), name(in), in.number(), names(in));
      case REFUSAL -> new Refusal(name(in));
      case ANOMALY -> new Anomaly(name(in));
      case ANOMALY_NOTICE -> new Anomaly.Notice();
      case ENQUIRY -> new Enquiry();
      case ENQUIRY_ANSWER -> new Enquiry.Answer(OUTCOMES.get(name(in)));
      case TEST -> new Test(name(in), isSet(in));
      case TEST_ANSWER -> new Test.Answer(VERDICTS.get(name(in)));
      case CENSUS -> new Census();
      case CENSUS_HERE -> new Census.Here(name(in));
      case RING_TOKEN -> ringToken(in);
      case RING_ACK -> new RingToken.Ack(ringToken(in));
      case RING_JOIN -> new RingJoin(stamp(in));
      case RING_WELCOME -> welcome(in);
      case NETWORK_REQUEST ->
          new NetworkRequest(name(in), stamp(in), names(in), names(in), names(in));
      case NETWORK_TOKEN -> networkToken(in);
      case NETWORK_NEWS -> networkNews(in);
    };
  }

  private static int name(Reader in) {
    return (int) in.number();
  }

  private static boolean isSet(Reader in) {
    return in.number() != 0;
  }

  private static List<Integer> names(Reader in) {
    List<Integer> names = new ArrayList<>();
    for (long left = in.number(); left > 0; left--) {
      names.add(name(in));
    }
    return List.copyOf(names);
  }

  private static RingToken ringToken(Reader in) {
    return new RingToken(name(in), in.number(), name(in), isSet(in), in.number());
  }

  private static RingJoin.Welcome welcome(Reader in) {
    long seen = in.number();
    Stamp asked = stamp(in);
    List<Long> cargos = new ArrayList<>();
    for (long left = in.number(); left > 0; left--) {
      cargos.add(in.number());
    }
    return new RingJoin.Welcome(asked, seen, List.copyOf(cargos));
  }

  private static Stamp stamp(Reader in) {
    return new Stamp(name(in), in.number());
  }

  private static ByProcess<Stamp> stamps(Reader in) {
    ByProcess<Stamp> stamps = ByProcess.empty();
    for (long left = in.number(); left > 0; left--) {
      stamps = stamps.with(name(in), stamp(in));
    }
    return stamps;
  }

  private static ByProcess<Integer> lives(Reader in) {
    ByProcess<Integer> lives = ByProcess.empty();
    for (long left = in.number(); left > 0; left--) {
      lives = lives.with(name(in), name(in));
    }
    return lives;
  }

  private static NetworkToken networkToken(Reader in) {
    int elec = name(in);
    long hop = in.number();
    long cargo = in.number();
    Stamp stamp = stamp(in);
    List<Integer> path = names(in);
    List<Integer> visited = names(in);
    return new NetworkToken(
        stamps(in), elec, stamp, path, visited, stamps(in), stamps(in), hop, cargo);
  }

  private static NetworkNews networkNews(Reader in) {
    long clock = in.number();
    return new NetworkNews(lives(in), stamps(in), clock, stamps(in), stamps(in), census(in));
  }

  private static @Nullable NetworkCensus census(Reader in) {
    if (!isSet(in)) {
      return null;
    }
    NetworkCensus census =
        new NetworkCensus(name(in), name(in), name(in), lives(in), ByProcess.empty());
    for (long left = in.number(); left > 0; left--) {
      census =
          census.with(
              name(in),
              new NetworkCensus.Answer(in.number(), name(in), name(in), stamp(in), in.number()));
    }
    return census;
  }
}
