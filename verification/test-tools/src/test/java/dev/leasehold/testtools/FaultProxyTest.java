package dev.leasehold.testtools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests show what the proxy does to bytes, beside what the stores' tests show. */
@Tag("slow")
class FaultProxyTest {

    private final BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();

    /** Answers each byte with the next one. */
    private void serve(ServerSocket server) throws IOException {
        while (true) {
            Socket client = server.accept();
            FaultProxy.start("test-server", () -> {
                for (int read = client.getInputStream().read();
                        read >= 0;
                        read = client.getInputStream().read()) {
                    heard.add(read);
                    client.getOutputStream().write(read + 1);
                }
            });
        }
    }

    @Test
    void repeatedRequestsComeTwiceAndTheirAnswersOnce() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                FaultProxy proxy = FaultProxy.to(server.getLocalPort())) {
            FaultProxy.start("test-accept", () -> serve(server));
            proxy.repeat(Duration.ofMillis(20));
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
                client.getOutputStream().write(7);
                assertThat(client.getInputStream().read()).isEqualTo(8);
                assertThat(heard.take()).isEqualTo(7);
                assertThat(heard.take()).isEqualTo(7);
                client.getOutputStream().write(9);
                // Not the answer to what was repeated.
                assertThat(client.getInputStream().read()).isEqualTo(10);
            }
            proxy.repeat(null);
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
                client.getOutputStream().write(1);
                assertThat(client.getInputStream().read()).isEqualTo(2);
                assertThat(heard.stream().filter(each -> each == 1)).hasSize(1);
            }
        }
    }
}
