package dev.leasehold.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class MemoryStoreProviderTest {

    @Test
    void isFoundByServiceLoader() {
        assertThat(ServiceLoader.load(StoreProvider.class)).hasAtLeastOneElementOfType(MemoryStoreProvider.class);
    }

    @Test
    void withoutANameEveryFactoryIsASpaceOfItsOwn() {
        assertThat(create("memory:")).isNotSameAs(create("memory:"));
    }

    @Test
    void aNameIsOneSpaceForAll() {
        assertThat(create("memory:a")).isSameAs(create("MEMORY:a")).isNotSameAs(create("memory:b"));
        assertThat(create("memory:a")).hasToString("memory:a");
    }

    @Test
    void unknownOptionsAreRefused() {
        assertThatThrownBy(() -> create("memory:a?leasehold.pollEvery=5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leasehold.pollEvery");
        assertThatThrownBy(() -> create("memory:a?size=5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("size=5");
    }

    @Test
    void anUnknownOptionThatIsAPasswordIsNotShown() {
        assertThatThrownBy(() -> create("memory:a?password=s3cr3t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'password=***'")
                .hasMessageNotContaining("s3cr3t");
    }

    private static StoreFactory create(String uri) {
        return new MemoryStoreProvider().create(StoreUri.parse(uri));
    }
}
