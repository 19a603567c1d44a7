package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatonConfigTest {
  @Test
  void aFileSetsKeys(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("b.properties");
    Files.writeString(
        file,
        """
        cluster = orders
        name = shop-1
        peers = 127.0.0.1:1, localhost:2, :3
        lease = 2s
        lock.audit.rule = centralized
        lock.audit.passes = 3
        """);
    BatonConfig config = BatonConfig.load(file);
    assertThat(config.cluster()).isEqualTo("orders");
    assertThat(config.lease()).hasSeconds(2);
    assertThat(config.ruleOf("audit")).isEqualTo(TokenRule.CENTRALIZED);
    assertThat(config.ruleOf("other")).isEqualTo(TokenRule.NAIMI_TREHEL);
    assertThat(config.rules().passes("audit", 9)).isEqualTo(3);
    assertThat(config.rules().passes("other", 9)).isEqualTo(16);
    assertThat(config.nodeConfig().peers())
        .containsExactly("127.0.0.1:1", "localhost:2", "127.0.0.1:3");
  }

  @Test
  void theEnvironmentGoesOverTheFileAndTheProgramOverBoth(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("b.properties");
    Files.writeString(file, "cluster = file\nname = file\npeers = a:1\nlease = 2s\n");
    BatonConfig config =
        BatonConfig.builder()
            .load(
                Map.of(
                    "BATON_CONFIG", file.toString(),
                    "BATON_NAME", "environment",
                    "BATON_LEASE", "3s"))
            .lease(Duration.ofSeconds(4))
            .build();
    assertThat(config.cluster()).isEqualTo("file");
    assertThat(config.name()).isEqualTo("environment");
    assertThat(config.lease()).hasSeconds(4);
  }

  @Test
  void theEnvironmentGoesOverAFileThatTheProgramNames(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("c.properties");
    Files.writeString(file, "cluster = file\nname = file\npeers = a:1\n");
    BatonConfig config =
        BatonConfig.builder()
            .load(file)
            .loadEnvironment(Map.of("BATON_CONFIG", "elsewhere", "BATON_NAME", "environment"))
            .build();
    assertThat(config.cluster()).isEqualTo("file");
    assertThat(config.name()).isEqualTo("environment");
  }

  @Test
  void aFounderNeedsTimeToListen() {
    assertThatThrownBy(
            () ->
                BatonConfig.builder()
                    .found(true)
                    .lease(Duration.ofMinutes(2))
                    .joinTimeout(Duration.ofMinutes(1))
                    .build())
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("join-timeout must be longer than the lease and two seconds");
  }

  @Test
  void theEnvironmentNamesKeysInItsOwnWay() {
    assertThat(
            ConfigSource.ofEnvironment(
                Map.of("BATON_JOIN_TIMEOUT", "9s", "PATH", "x", "BATON_CONFIG", "f")))
        .containsExactly(Map.entry("join-timeout", "9s"));
    assertThat(ConfigSource.file(Map.of("BATON_CONFIG", "f"))).contains(Path.of("f"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "peer       | a:1    | There is no key \"peer\": did you mean peers?",
        "leese      | 5s     | did you mean lease?",
        "JOIN_TIMEOUT | 5s   | did you mean join-timeout?",
        "wholly-other | 5s   | There is no key \"wholly-other\". All are in docs/CONFIGURATION.md",
        "lock.x.colour | red | a lock has lock.NAME.rule and lock.NAME.passes",
        "lock..rule | raymond| lock..rule: The name of a lock is empty",
        "lock.rule  | raymond| lock.rule: The name of a lock is empty",
        "peers      | ,      | peers is empty: name the members, or leave it out where there are none",
        "data       | ''     | data is empty: name the folder",
        "bind       | :1     | Name the members in peers, or leave out bind",
        "advertise  | a:1    | Name the members in peers, or leave out bind",
        "insecure   | true   | Name the members in peers, or leave out bind",
        "lease      | 5      | is no time: 500ms, 5s, 2m or 1h",
        "lease      | 1ms    | out of range",
        "join-timeout | 999999h | out of range",
        "voters     | 2      | 1, 3, 5 or 7",
        "voters     | many   | no whole number",
        "bind       | x:y    | is no address",
        "bind       | x:99999| is no address",
        "found      | perhaps| neither true nor false",
        "rule       | fifo   | naimi-trehel, raymond, centralized, open-cube",
        "tree       | oak    | star, binary, cube",
        "cluster    | a b    | is no name",
        "passes     | 0      | too small",
      })
  void whatIsWrongIsNamedWithWhatIsRight(String key, String value, String message) {
    assertThatThrownBy(() -> BatonConfig.builder().set(key, value).build())
        .isInstanceOf(BatonException.class)
        .hasMessageContaining(message);
  }

  @Test
  void whatDoesNotFitTogetherIsRefused() {
    BatonConfig.Builder open = BatonConfig.builder().found(true).bind("0.0.0.0:1");
    assertThatThrownBy(open::build).hasMessageContaining("insecure = true");
    assertThatThrownBy(open.insecure(true)::build).hasMessageContaining("say in advertise");
    assertThat(open.advertise("10.0.0.1:1").build()).isNotNull();
    assertThatThrownBy(() -> BatonConfig.builder().set("peers", ":3, a:1, 127.0.0.1:3").build())
        .hasMessage("peers names 127.0.0.1:3 twice");
    assertThatThrownBy(() -> BatonConfig.builder().found(true).bind("nowhere.invalid:1").build())
        .hasMessage("bind = nowhere.invalid:1: there is no host of this name");
    assertThatThrownBy(
            () ->
                BatonConfig.builder().found(true).insecure(true).bind("nowhere.invalid:1").build())
        .hasMessage("bind = nowhere.invalid:1: there is no host of this name");
    assertThatThrownBy(() -> BatonConfig.builder().set("peers", "a:1").set("found", "true").build())
        .hasMessageContaining("leave out one of them");
    assertThatThrownBy(() -> BatonConfig.builder().set("peers", ":1").bind(":1").build())
        .hasMessageStartingWith("peers names nobody but this member");
    assertThatThrownBy(() -> BatonConfig.builder().set("peers", "a:1").dns("b:1").build())
        .hasMessageContaining("set one of them");
    String longName = "n".repeat(156) + ":7420";
    assertThatThrownBy(() -> BatonConfig.builder().found(true).advertise(longName).build())
        .hasMessageStartingWith("advertise = " + longName + " is longer than 160 bytes");
  }

  @Test
  void aFileThatCannotBeReadIsNamedWithTheReason(@TempDir Path folder) throws IOException {
    assertThatThrownBy(() -> BatonConfig.load(Path.of("nowhere")))
        .isInstanceOf(BatonException.class)
        .hasMessage("Cannot read the configuration nowhere: there is no such file");
    Path bytes = Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThatThrownBy(() -> BatonConfig.load(bytes)).hasMessageEndingWith("not text in UTF-8");
    Path escape = Files.writeString(folder.resolve("escape"), "lease = \\u00zz");
    assertThatThrownBy(() -> BatonConfig.load(escape))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("Cannot read the configuration " + escape);
    Path typo = Files.writeString(folder.resolve("typo"), "leese = 5s");
    assertThatThrownBy(() -> BatonConfig.load(typo)).hasMessageStartingWith("In " + typo + ": ");
  }

  @Test
  void whereNothingIsConfiguredNobodyBecomesAClusterOfOneUnasked() {
    assertThatThrownBy(BatonConfig::load) // as in this folder, and the environment of a build
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("not in baton.properties, which is not in /")
        .hasMessageContaining("not in the environment")
        .hasMessageContaining("for a cluster of one, say found = true or call Baton.join()");
  }

  @Test
  void noFileWithoutTheOthersMakesAClusterOfOne(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("b.properties");
    Files.writeString(file, "cluster = orders\nname = shop-1\nvoters = 3\n");
    assertThatThrownBy(() -> BatonConfig.load(file))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("neither peers nor dns nor found = true: not in " + file);
    assertThat(BatonConfig.builder().load(file).peers(List.of("a:1")).build().isAlone()).isFalse();
    assertThat(BatonConfig.builder().load(file).found(true).build().isAlone()).isFalse();
  }

  @Test
  void whatKubernetesSaysOfAServiceIsNoKey() {
    assertThat(
            ConfigSource.ofEnvironment(
                Map.of(
                    "BATON_SERVICE_HOST", "10.0.0.1",
                    "BATON_SERVICE_PORT", "7420",
                    "BATON_PORT", "tcp://10.0.0.1:7420",
                    "BATON_HTTP_SERVICE_HOST", "10.0.0.1",
                    "BATON_HTTP_PORT", "tcp://10.0.0.1:80",
                    "BATON_PORT_7420_TCP_ADDR", "10.0.0.1")))
        .isEmpty();
    assertThat(ConfigSource.ofEnvironment(Map.of("BATON_BIND_PORT", "1"))).containsKey("bind-port");
  }

  @Test
  void absurdTimesAreOutOfRange() {
    for (long seconds : new long[] {Long.MAX_VALUE, Long.MIN_VALUE}) {
      Duration absurd = Duration.ofSeconds(seconds);
      assertThatThrownBy(() -> BatonConfig.builder().lease(absurd))
          .isInstanceOf(BatonException.class)
          .hasMessageContaining("lease = " + seconds + "s is out of range");
      assertThatThrownBy(() -> BatonConfig.builder().joinTimeout(absurd))
          .isInstanceOf(BatonException.class)
          .hasMessageContaining("join-timeout = " + seconds + "s is out of range");
    }
  }

  @Test
  void everyKeyIsDocumented() throws IOException {
    String text = Files.readString(Path.of("../docs/CONFIGURATION.md"));
    for (String key : Keys.names()) {
      assertThat(text).contains("| `" + key + "` |");
    }
  }
}
