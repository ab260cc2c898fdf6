package dev.leasehold.example;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.leasehold.Lease;
import dev.leasehold.LockBusyException;
import dev.leasehold.StoreUnavailableException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/** The example's answers over HTTP to exceptions of locks. */
@Tag("slow")
class TransferControllerTest {

    private static MockMvc failing(RuntimeException failure) {
        return MockMvcBuilders.standaloneSetup(new TransferController(new Transfers(null, null, null) {
                    @Override
                    public long move(int from, int to, long amount, Lease lease) {
                        throw failure;
                    }
                }))
                .build();
    }

    @Test
    void aBusyAccountIsAConflict() throws Exception {
        failing(new LockBusyException("account:1", "a wait of PT5S"))
                .perform(post("/transfers/1/2/10"))
                .andExpect(status().isConflict())
                .andExpect(content().string("busy: account:1"));
    }

    @Test
    void aStoreThatIsAwayIsUnavailable() throws Exception {
        failing(new StoreUnavailableException(
                        "no answer", "db", StoreUnavailableException.Outcome.NOT_CARRIED_OUT, null))
                .perform(post("/transfers/1/2/10"))
                .andExpect(status().isServiceUnavailable());
    }
}
