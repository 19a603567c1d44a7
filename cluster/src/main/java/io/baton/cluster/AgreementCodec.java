package io.baton.cluster;

import io.baton.agreement.Configuration;
import io.baton.agreement.Message;
import io.baton.agreement.Publication;
import io.baton.agreement.Value;
import io.baton.cluster.Wire.MalformedException;
import io.baton.member.ClusterState;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** What voters say to each other, as bytes. */
final class AgreementCodec {
  private static final int LONGEST_ID = 255;
  private static final int LEAST_ID = 2; // bytes

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
      case 1 -> new Message.Found(text(in), PacketCodec.state(in), configuration(in));
      case 2 -> new Message.Founded(text(in));
      case 3 -> new Message.Poll(Wire.number(in), Wire.number(in), Wire.number(in));
      case 4 -> new Message.Willing(Wire.number(in));
      case 5 -> new Message.TakeOver(Wire.number(in));
      case 6 -> new Message.Leaving(Wire.number(in));
      case 7 -> new Message.Released(Wire.number(in));
      case 8 -> new Message.StartTerm(Wire.number(in));
      case 9 ->
          new Message.Vote(
              text(in),
              text(in),
              Wire.number(in),
              Wire.number(in),
              Wire.number(in),
              Wire.number(in));
      case 10 -> new Message.Publish(text(in), publication(in), configuration(in));
      case 11 -> new Message.Accepted(Wire.number(in), Wire.number(in));
      case 12 -> new Message.Commit(Wire.number(in), Wire.number(in));
      case 13 -> new Message.Lacking(Wire.number(in), Wire.number(in));
      case 14 -> new Message.Question(Wire.number(in), Wire.number(in), Wire.number(in));
      case 15 -> new Message.Standing(Wire.number(in), Wire.number(in), Wire.number(in));
      default -> throw new MalformedException("a message of voters of unknown kind " + kind);
    };
  }

  private static String text(ByteBuf in) {
    return Wire.text(in, LONGEST_ID);
  }

  private static void putValue(ByteBuf out, Value value) {
    if (!(value instanceof ClusterState state)) {
      throw new IllegalArgumentException("Not the state of a cluster: " + value);
    }
    PacketCodec.putState(out, state);
  }

  static void putConfiguration(ByteBuf out, Configuration configuration) {
    Wire.putList(out, configuration.voters(), Wire::putText);
  }

  static Configuration configuration(ByteBuf in) {
    return new Configuration(Wire.list(in, LEAST_ID, AgreementCodec::text));
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
    long term = Wire.number(in);
    long version = Wire.number(in);
    @Nullable ClusterState state = Wire.flag(in) ? PacketCodec.state(in) : null;
    return new Publication(term, version, state, configuration(in));
  }
}
