package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.LettuceVersion;
import io.netty.util.Version;
import org.junit.jupiter.api.Test;

/** These tests run with the Lettuce, and a Netty of its generation, that the build says. */
class LettuceVersionTest {

    @Test
    void itIsTheOneThatTheBuildSays() {
        String expected = System.getProperty("leasehold.lettuce", "none");
        assertThat(LettuceVersion.getVersion()).startsWith(expected.replace(".RELEASE", ""));
        assertThat(Version.identify().get("netty-common").artifactVersion()).startsWith("4.2.");
    }
}
