package io.baton.cluster;

import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.VotingMember;

/** Members by themselves, for tests. */
public final class Origins {
  private Origins() {}

  /** One that is called m, and votes alone. */
  public static VotingMember.Origin ofOne(long lease) {
    return new VotingMember.Origin(
        "m",
        "local",
        1,
        1,
        Settings.ofSecond(lease / 5),
        Rules.NAIMI_TREHEL,
        1,
        Long.MAX_VALUE / 4,
        1);
  }
}
