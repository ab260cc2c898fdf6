package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorePasswordTest {

    @TempDir
    Path dir;

    @Test
    void theOptionComesFirstThenTheEnvironment() throws Exception {
        Path option = Files.writeString(dir.resolve("a"), "from option\nand no more\n");
        Path variable = Files.writeString(dir.resolve("b"), " with spaces ");
        Map<String, String> file = Map.of("LEASEHOLD_STORE_PASSWORD_FILE", variable.toString());
        Map<String, String> word = Map.of("LEASEHOLD_STORE_PASSWORD", "secret");

        assertThat(StorePassword.find(option, word)).isEqualTo("from option");
        assertThat(StorePassword.find(null, file)).isEqualTo(" with spaces ");
        assertThat(StorePassword.find(null, word)).isEqualTo("secret");
        assertThat(StorePassword.find(null, Map.of())).isNull();
    }

    @Test
    void whatIsUnclearIsRefused() throws Exception {
        Path empty = Files.createFile(dir.resolve("empty"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> StorePassword.find(
                        null, Map.of("LEASEHOLD_STORE_PASSWORD_FILE", "x", "LEASEHOLD_STORE_PASSWORD", "secret")))
                .withMessageContaining("both set")
                .withMessageNotContaining("secret");
        assertThatThrownBy(() -> StorePassword.find(empty, Map.of())).hasMessageContaining("is empty");
        assertThatThrownBy(() -> StorePassword.find(dir.resolve("none"), Map.of()))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("cannot be read");
    }
}
