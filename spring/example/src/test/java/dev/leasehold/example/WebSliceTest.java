package dev.leasehold.example;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.leasehold.jdbc.JdbcFence;
import dev.leasehold.spring.boot.test.AutoConfigureTestLeasehold;
import dev.leasehold.spring.boot.test.BusyLock;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.MockMvc;

/** The example's web slice: its transfers are locked there, too. */
@Tag("slow")
@WebMvcTest(TransferController.class)
@Import(Transfers.class)
@AutoConfigureTestLeasehold
class WebSliceTest {

    @MockitoBean
    private JdbcTemplate jdbc;

    @MockitoBean
    private DataSource dataSource;

    @MockitoBean
    private JdbcFence fence;

    @Autowired
    private MockMvc web;

    /** The transfer was made without the lock. */
    @Test
    @BusyLock("account:1")
    void aBusyAccountIsAConflict() throws Exception {
        when(jdbc.queryForObject(any(String.class), eq(Long.class), eq(1))).thenReturn(1000L);
        web.perform(post("/transfers/1/2/10"))
                .andExpect(status().isConflict())
                .andExpect(content().string("busy: account:1"));
    }

    @Test
    void aFreeAccountIsChanged() throws Exception {
        when(dataSource.getConnection()).thenReturn(mock(Connection.class));
        when(jdbc.queryForObject(any(String.class), eq(Long.class), eq(1))).thenReturn(1000L);
        web.perform(post("/transfers/1/2/10"))
                .andExpect(status().isOk())
                .andExpect(content().string("990"));
    }
}
