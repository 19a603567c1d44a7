package io.baton.cluster;

import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Message;
import io.baton.agreement.Publication;
import io.baton.agreement.Value;
import io.baton.cluster.Wire.MalformedException;
import io.baton.member.ClusterState;
import io.netty.buffer.ByteBuf;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What voters say to each other, and keep, as bytes. */
final class AgreementCodec {
  private static final int LONGEST_ID = 255;
  private static final int LEAST_ID = 2; // bytes
  private static final long LAST_TERM = 1L << 48;

  private AgreementCodec() {}

  static void putMessage(ByteBuf out, Message message) {
    if (message instanceof Message.Found found) {
      out.writeByte(1);
      Wire.putText(out, found.cluster());
      putValue(out, found.value());
      putConfiguration(out, found.configuration());
    } else if (message instanceof Message.Founded founded) {
      out.writeByte(2);
      Wire.putText(out, founded.cluster());
    } else if (message instanceof Message.Poll poll) {
      put(out, 3, poll.term(), poll.acceptedTerm(), poll.acceptedVersion());
    } else if (message instanceof Message.Willing) {
      put(out, 4, message.term());
    } else if (message instanceof Message.TakeOver) {
      put(out, 5, message.term());
    } else if (message instanceof Message.Leaving) {
      put(out, 6, message.term());
    } else if (message instanceof Message.Released) {
      put(out, 7, message.term());
    } else if (message instanceof Message.StartTerm) {
      put(out, 8, message.term());
    } else if (message instanceof Message.Vote vote) {
      out.writeByte(9);
      Wire.putText(out, vote.cluster());
      Wire.putText(out, vote.candidate());
      out.writeLong(vote.term());
      out.writeLong(vote.acceptedTerm());
      out.writeLong(vote.acceptedVersion());
      out.writeLong(vote.ago());
    } else if (message instanceof Message.Publish publish) {
      out.writeByte(10);
      Wire.putText(out, publish.cluster());
      putPublication(out, publish.publication());
      putConfiguration(out, publish.committed());
    } else if (message instanceof Message.Accepted accepted) {
      put(out, 11, accepted.term(), accepted.version());
    } else if (message instanceof Message.Commit commit) {
      put(out, 12, commit.term(), commit.version());
    } else if (message instanceof Message.Lacking lacking) {
      put(out, 13, lacking.term(), lacking.version());
    } else if (message instanceof Message.Question question) {
      put(out, 14, question.term(), question.batch(), question.version());
    } else if (message instanceof Message.Standing standing) {
      put(out, 15, standing.term(), standing.batch(), standing.minutes());
    } else {
      throw new IllegalArgumentException("A message of unknown kind: " + message);
    }
  }

  private static void put(ByteBuf out, int kind, long... numbers) {
    out.writeByte(kind);
    for (long number : numbers) {
      out.writeLong(number);
    }
  }

  static Message message(ByteBuf in) {
    int kind = Wire.kind(in);
    return switch (kind) {
      case 1 -> new Message.Found(cluster(in), PacketCodec.state(in), voters(in));
      case 2 -> new Message.Founded(cluster(in));
      case 3 -> new Message.Poll(term(in), term(in), natural(in));
      case 4 -> new Message.Willing(term(in));
      case 5 -> new Message.TakeOver(term(in));
      case 6 -> new Message.Leaving(term(in));
      case 7 -> new Message.Released(term(in));
      case 8 -> new Message.StartTerm(term(in));
      case 9 ->
          new Message.Vote(
              clusterOrNone(in), text(in), term(in), term(in), natural(in), natural(in));
      case 10 -> publish(in);
      case 11 -> new Message.Accepted(term(in), natural(in));
      case 12 -> new Message.Commit(term(in), natural(in));
      case 13 -> new Message.Lacking(term(in), natural(in));
      case 14 -> new Message.Question(term(in), natural(in), natural(in));
      case 15 -> new Message.Standing(term(in), natural(in), natural(in));
      default -> throw new MalformedException("a message of voters of unknown kind " + kind);
    };
  }

  private static Message publish(ByteBuf in) {
    String cluster = cluster(in);
    Publication publication = publication(in);
    if (publication.value() == null || publication.configuration().isEmpty()) {
      throw new MalformedException("nothing is published");
    }
    return new Message.Publish(cluster, publication, configuration(in));
  }

  private static String text(ByteBuf in) {
    return Wire.text(in, LONGEST_ID);
  }

  private static String clusterOrNone(ByteBuf in) {
    String id = text(in);
    try {
      return id.isEmpty() ? id : UUID.fromString(id).toString();
    } catch (IllegalArgumentException e) {
      throw new MalformedException("not the id of a cluster: " + id);
    }
  }

  private static String cluster(ByteBuf in) {
    String id = clusterOrNone(in);
    if (id.isEmpty()) {
      throw new MalformedException("no cluster");
    }
    return id;
  }

  /** A number that is not negative. */
  static long natural(ByteBuf in) {
    long number = Wire.number(in);
    if (number < 0) {
      throw new MalformedException("a negative number: " + number);
    }
    return number;
  }

  /** One that leaves room for as many later ones as will ever be needed. */
  private static long term(ByteBuf in) {
    long term = natural(in);
    if (term > LAST_TERM) {
      throw new MalformedException("a term that cannot have come: " + term);
    }
    return term;
  }

  private static Configuration voters(ByteBuf in) {
    Configuration voters = configuration(in);
    if (voters.isEmpty()) {
      throw new MalformedException("nobody votes");
    }
    return voters;
  }

  private static void putValue(ByteBuf out, Value value) {
    if (!(value instanceof ClusterState state)) {
      throw new IllegalArgumentException("Not the state of a cluster: " + value);
    }
    PacketCodec.putState(out, state);
  }

  static void putConfiguration(ByteBuf out, Configuration configuration) {
    Wire.putList(out, configuration.voters(), Wire::putText);
    out.writeBoolean(configuration.frozen());
  }

  static Configuration configuration(ByteBuf in) {
    return new Configuration(Wire.list(in, LEAST_ID, AgreementCodec::text), Wire.flag(in));
  }

  static void putPublication(ByteBuf out, Publication publication) {
    Value value = publication.value();
    out.writeLong(publication.term());
    out.writeLong(publication.version());
    out.writeBoolean(value != null);
    if (value != null) {
      putValue(out, value);
    }
    putConfiguration(out, publication.configuration());
  }

  static Publication publication(ByteBuf in) {
    long term = term(in);
    long version = natural(in);
    @Nullable ClusterState state = Wire.flag(in) ? PacketCodec.state(in) : null;
    return new Publication(term, version, state, configuration(in));
  }

  static void putDurable(ByteBuf out, Durable state) {
    Wire.putText(out, state.cluster());
    out.writeLong(state.currentTerm());
    putPublication(out, state.accepted());
    putConfiguration(out, state.committed());
    out.writeLong(state.committedVersion());
    out.writeLong(state.committedEpoch());
  }

  static Durable durable(ByteBuf in) {
    return new Durable(
        clusterOrNone(in), term(in), publication(in), configuration(in), natural(in), natural(in));
  }
}
