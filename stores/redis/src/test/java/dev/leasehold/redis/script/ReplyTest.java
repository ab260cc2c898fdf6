package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about answers that do not come from our scripts. */
@Tag("slow")
class ReplyTest {

    private static final ClockReading NOW = new ClockReading(0, 0);
    private static final Claim CLAIM = new Claim(new ClaimId("client", 1), "a", Duration.ofSeconds(30), 0, true);

    private static CompletableFuture<Long> read(List<Object> answer) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        Reply.read(
                result,
                (sentAt, parts) -> Reply.number(parts.get(0)),
                NOW,
                answer,
                "redis://one:6379",
                "the claim of 'a'");
        return result;
    }

    @Test
    @DisplayName("An answer that makes no sense is reported with server and lock")
    void aSenselessAnswerIsReportedWithServerAndLock() {
        for (List<Object> answer : List.<List<Object>>of(List.of(), List.of("OK"), Collections.singletonList(null))) {
            assertThatThrownBy(read(answer)::join)
                    .hasCauseInstanceOf(LockException.class)
                    .hasMessageContaining("redis://one:6379")
                    .hasMessageContaining("the claim of 'a'");
        }
    }

    @Test
    void aLongAnswerIsNotShownWhole() {
        assertThat(read(List.of("x".repeat(1_000_000))).handle((read, failure) -> failure.getMessage()))
                .isCompletedWithValueMatching(message -> message.length() < 500);
        assertThat(read(Collections.nCopies(1_000_000, "x")).handle((read, failure) -> failure.getMessage()))
                .isCompletedWithValueMatching(message -> message.length() < 500);
    }

    /** The first of several parts was taken for a claim's answer. */
    @Test
    void anAnswerOfSeveralPartsIsNotReadAsItsFirst() {
        assertThat(Reply.only(List.of("7"))).isEqualTo("7");
        for (List<Object> answer : List.<List<Object>>of(List.of(), List.of(1L, 2L, 3L, 4L))) {
            assertThatThrownBy(() -> Reply.only(answer)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** The length of another answer, whose first byte was spoilt, was taken for a token. */
    @Test
    void aNumberIsNotReadAsATextOfDigits() {
        assertThat(Reply.onlyText(List.of("172"))).isEqualTo("172");
        assertThatThrownBy(() -> Reply.onlyText(List.of(172L))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNumberThatIsNoTokenGrantsNothing() {
        for (String answer : List.of("0", "-7", "172", "999999", "granted|0|0|60000", "granted|-7|0|60000")) {
            assertThatThrownBy(() -> Reply.granted(CLAIM, NOW, answer)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(Reply.granted(CLAIM, NOW, "1000001").lease().token()).isEqualTo(1_000_001);
        assertThat(Reply.granted(CLAIM, NOW, "granted|7|0|60000").lease().token())
                .isEqualTo(7);
    }

    /** Read as the answers for other leases, they would keep some alive that are lost. */
    @Test
    void renewalsAreAnsweredOneForEachLease() {
        RenewAnswer renewed = new RenewAnswer.Renewed(Validity.of(NOW, Duration.ofSeconds(5)));
        assertThat(Reply.renewed(NOW, List.of(-1L, 5_000L, 5_000L, -1L), 4))
                .containsExactly(new RenewAnswer.Lost(), renewed, renewed, new RenewAnswer.Lost());
        for (List<Object> answer : List.<List<Object>>of(List.of(), List.of(1L), List.of(1L, 2L, 3L))) {
            assertThatThrownBy(() -> Reply.renewed(NOW, answer, 2)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
