package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.leasehold.spi.Spin;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URL;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That they are plain sockets in all but the look before a read. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpinSocketsTest {

    private final AtomicInteger looks = new AtomicInteger();
    private final Consumer<BooleanSupplier> counting = there -> looks.incrementAndGet();
    private ServerSocket listening;
    private Socket socket;
    private Socket peer;

    @BeforeEach
    void connect() throws IOException {
        listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        socket = new SpinSockets().createSocket();
        socket.connect(listening.getLocalSocketAddress());
        peer = listening.accept();
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        socket.close();
        listening.close();
    }

    private int read() throws IOException {
        return socket.getInputStream().read();
    }

    private int readSpinning(Consumer<BooleanSupplier> look) throws IOException {
        return SpinSockets.spinning(look, this::read);
    }

    @Test
    void aSpinningThreadLooksUntilSomethingIsThere() throws IOException {
        int answer = readSpinning(there -> {
            assertThat(there.getAsBoolean()).isFalse();
            send(7);
            await().until(there::getAsBoolean);
            assertThat(there.getAsBoolean()).as("looking takes nothing away").isTrue();
        });
        assertThat(answer).isEqualTo(7);
    }

    private void send(int... bytes) {
        try {
            for (int each : bytes) {
                peer.getOutputStream().write(each);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void looksBeforeEachKindOfRead() throws IOException {
        send(1, 2, 3);
        byte[] two = new byte[2];
        SpinSockets.spinning(counting, () -> {
            assertThat(read()).isEqualTo(1);
            assertThat(socket.getInputStream().readNBytes(two, 0, 2)).isEqualTo(2);
            return null;
        });
        assertThat(two).containsExactly(2, 3);
        assertThat(looks).hasValueGreaterThanOrEqualTo(2);
    }

    @Test
    void nobodyElseLooks() throws Exception {
        send(1, 2, 3);
        assertThat(read()).isEqualTo(1);
        SpinSockets.spinning(
                counting,
                () -> CompletableFuture.supplyAsync(() -> {
                            try {
                                return read();
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .get());
        assertThat(SpinSockets.isSpinning()).isFalse();
        assertThat(looks).hasValue(0);
    }

    @Test
    void aFailureEndsTheSpinning() throws IOException {
        assertThatThrownBy(() -> SpinSockets.spinning(counting, () -> {
                    assertThat(SpinSockets.isSpinning()).isTrue();
                    throw new IOException("no");
                }))
                .hasMessage("no");
        assertThat(SpinSockets.isSpinning()).isFalse();
    }

    @Test
    void losesPatienceLikeAPlainSocketAndGoesOn() throws IOException {
        socket.setSoTimeout(20);
        long begun = System.nanoTime();
        assertThatThrownBy(() -> readSpinning(new Spin()::until)).isInstanceOf(SocketTimeoutException.class);
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(20_000_000);
        assertThat(socket.isClosed()).isFalse();
        send(9);
        assertThat(readSpinning(new Spin()::until)).isEqualTo(9);
    }

    @Test
    void findsOutInTheReadThatItWasClosedWhileItLooked() {
        assertThatThrownBy(() -> readSpinning(there -> {
                    closeByAnother();
                    assertThat(there.getAsBoolean())
                            .as("there is nothing to wait for")
                            .isTrue();
                }))
                .isInstanceOf(SocketException.class);
    }

    @Test
    void isWokenFromTheReadByOneWhoClosesIt() {
        Thread reader = Thread.currentThread();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
            await().until(() -> isReading(reader));
            closeByAnother();
        });
        assertThatThrownBy(() -> readSpinning(new Spin()::until)).isInstanceOf(SocketException.class);
        closing.join();
    }

    private static boolean isReading(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getMethodName().equals("implRead")) {
                return true;
            }
        }
        return false;
    }

    private void closeByAnother() {
        CompletableFuture.runAsync(() -> {
                    try {
                        socket.close();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                })
                .join();
    }

    @Test
    void seesTheEndOfAHalfThatTheOtherSideHasClosedAndCanStillWrite() throws IOException {
        send(1);
        peer.shutdownOutput();
        assertThat(readSpinning(new Spin()::until)).isEqualTo(1);
        assertThat(readSpinning(new Spin()::until)).isEqualTo(-1);
        socket.getOutputStream().write(2);
        assertThat(peer.getInputStream().read()).isEqualTo(2);
        socket.shutdownOutput();
        assertThat(peer.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void seesTheEndOfAHalfThatItHasClosedItself() throws IOException {
        InputStream in = socket.getInputStream();
        socket.shutdownInput();
        assertThat(SpinSockets.<Integer, IOException>spinning(new Spin()::until, in::read))
                .isEqualTo(-1);
    }

    @Test
    void closingTheStreamClosesTheSocket() throws IOException {
        assertThat(socket.getInputStream().available()).isZero();
        socket.getInputStream().close();
        assertThat(socket.isClosed()).isTrue();
    }

    @Test
    void canBeMadeConnected() throws IOException {
        InetAddress host = listening.getInetAddress();
        String name = host.getHostAddress();
        SpinSockets factory = new SpinSockets();
        try (Socket first = factory.createSocket(host, listening.getLocalPort());
                Socket second = factory.createSocket(host, listening.getLocalPort(), host, 0);
                Socket third = factory.createSocket(name, listening.getLocalPort());
                Socket fourth = factory.createSocket(name, listening.getLocalPort(), host, 0)) {
            for (Socket each : new Socket[] {first, second, third, fourth}) {
                assertThat(each.isConnected()).isTrue();
                listening.accept().close();
                assertThat(SpinSockets.spinning(
                                counting, () -> each.getInputStream().read()))
                        .isEqualTo(-1);
            }
        }
        assertThat(looks).hasValue(4);
    }

    @Test
    void standInForPlainOnesOnlyWhereTheDriverIsKnownAndTheUserHasNamedNone() {
        ClassLoader ours = SpinSockets.class.getClassLoader();
        assertThat(OwnPool.maySpin("jdbc:postgresql://h/d?user=u", ours)).isTrue();
        assertThat(OwnPool.maySpin("jdbc:mariadb://h/d", ours)).isTrue();
        assertThat(OwnPool.maySpin("jdbc:mysql://h/d", ours)).isFalse();
        assertThat(OwnPool.maySpin("jdbc:h2:mem:postgresql", ours)).isFalse();
        assertThat(OwnPool.maySpin("jdbc:postgresql://h/d?socketFactory=a.B", ours))
                .isFalse();
        assertThat(OwnPool.maySpin("jdbc:mariadb://h/d?user=u&SOCKETFACTORY=a.B", ours))
                .isFalse();
        assertThat(OwnPool.maySpin("jdbc:postgresql://?service=shop", ours)).isFalse();
    }

    @Test
    void areNotUsedByADriverThatCannotSeeThem() {
        String url = "jdbc:postgresql://h/d";
        assertThat(OwnPool.maySpin(url, null)).isFalse();
        assertThat(OwnPool.maySpin(url, ClassLoader.getPlatformClassLoader())).isFalse();
    }

    @Test
    void areNotUsedWhereTheDriverHasDefaultsOfTheUsers() throws IOException {
        URL here = URI.create("file:/defaults").toURL();
        ClassLoader withDefaults = new ClassLoader(SpinSockets.class.getClassLoader()) {
            @Override
            protected URL findResource(String name) {
                return name.equals("org/postgresql/driverconfig.properties") ? here : null;
            }
        };
        assertThat(OwnPool.maySpin("jdbc:postgresql://h/d", withDefaults)).isFalse();
    }
}
