package io.baton.cluster;

import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.Shape;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a member on a machine of its own is told.
 *
 * @param cluster its name
 * @param name which the id of this member begins with
 * @param data its folder
 * @param bind where it listens
 * @param advertise where others reach it; empty: where it listens
 * @param peers the members to begin with
 * @param dns a name whose addresses are the members to begin with
 * @param foundsAlone whether it founds a cluster of one where there is none
 * @param listens whether others may join
 * @param shutdownHook whether it leaves when the process ends
 * @param voters how many are to vote, if there are as many
 * @param replaceVoterAfter for how long a voter is away before another votes in its place
 * @param deadlockAfter how long somebody waits before it is looked whether it waits for itself
 * @param restartProof whether a restart proves that the former process has ended (R27)
 */
public record NodeConfig(
    String cluster,
    String name,
    Path data,
    InetSocketAddress bind,
    Optional<String> advertise,
    List<String> peers,
    Optional<String> dns,
    boolean foundsAlone,
    boolean listens,
    int voters,
    Duration replaceVoterAfter,
    Duration joinTimeout,
    boolean shutdownHook,
    Duration deadlockAfter,
    boolean restartProof,
    Shape tree,
    Settings settings,
    Rules rules) {
  /** The list is copied. */
  public NodeConfig {
    peers = List.copyOf(peers);
  }
}
