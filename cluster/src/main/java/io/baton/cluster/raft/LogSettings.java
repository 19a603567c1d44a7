package io.baton.cluster.raft;

import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** What Ratis is told where its defaults do not suit a small log in somebody else's process. */
final class LogSettings {
  /** The largest message; also the largest entry that can be read back: never to be lowered. */
  static final SizeInBytes MESSAGE_SIZE = SizeInBytes.valueOf("40KB");

  private static final int SNAPSHOT_EVERY = 50;

  private LogSettings() {}

  /** The settings of a log. */
  static RaftProperties of(RatisLog.Setup setup) {
    RaftProperties p = new RaftProperties();
    RaftConfigKeys.Rpc.setType(p, new Calls.Type());
    RaftServerConfigKeys.setStorageDir(p, List.<File>of(setup.folder().toFile()));
    // A process that was stopped for long must neither close nor exit.
    RaftServerConfigKeys.setCloseThreshold(p, TimeDuration.valueOf(3650, TimeUnit.DAYS));
    RaftServerConfigKeys.setSleepDeviationThreshold(p, TimeDuration.valueOf(10, TimeUnit.SECONDS));

    Duration shortest = setup.election();
    Duration longest = shortest.multipliedBy(2);
    RaftServerConfigKeys.Rpc.setTimeoutMin(p, time(shortest));
    RaftServerConfigKeys.Rpc.setTimeoutMax(p, time(longest));
    Duration first = setup.alone() ? Duration.ofMillis(50) : shortest; // it waits for nobody
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(p, time(first));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(p, time(first.multipliedBy(2)));
    RaftServerConfigKeys.LeaderElection.setPreVote(p, true);
    // A leader that lost its majority may stand again soon; the default keeps it out for 10 s.
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(p, time(longest));

    RaftServerConfigKeys.Log.setCorruptionPolicy(p, CorruptionPolicy.EXCEPTION);
    RaftServerConfigKeys.Log.setLogMetadataEnabled(p, false);
    RaftServerConfigKeys.Log.setSegmentSizeMax(p, SizeInBytes.valueOf("64KB"));
    RaftServerConfigKeys.Log.setPreallocatedSize(p, SizeInBytes.valueOf("0"));
    RaftServerConfigKeys.Log.setWriteBufferSize(p, SizeInBytes.valueOf("64KB"));
    RaftServerConfigKeys.Log.setPurgeGap(p, 1);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(p, true);
    RaftServerConfigKeys.Log.setQueueByteLimit(p, SizeInBytes.valueOf("4MB"));
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(p, MESSAGE_SIZE);
    RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(p, MESSAGE_SIZE);
    RaftServerConfigKeys.Write.setElementLimit(p, 1024);
    RaftServerConfigKeys.Write.setByteLimit(p, SizeInBytes.valueOf("4MB"));

    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(p, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(p, SNAPSHOT_EVERY);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(p, false);
    RaftServerConfigKeys.Snapshot.setCreationGap(p, 1);
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(p, 2);
    return p;
  }

  private static TimeDuration time(Duration duration) {
    return TimeDuration.valueOf(duration.toMillis(), TimeUnit.MILLISECONDS);
  }
}
