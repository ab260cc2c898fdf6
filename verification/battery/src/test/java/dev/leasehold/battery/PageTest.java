package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.battery.Violation.Rule;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** A page shows what happened, and is well-formed whatever a failure's message contains. */
@Tag("slow")
class PageTest {

    private static final long SECOND = 1_000_000_000;

    private static final List<Event> HISTORY = List.of(
            new Event.Asked(0, "client-1/0", 1, "battery-mutex", 1),
            new Event.Granted(SECOND, "client-1/0", 1, 7, -1, 3 * SECOND),
            new Event.Struck(2 * SECOND, "client-1", "stop"),
            new Event.Asked(2 * SECOND, "client-2/0", 1, "battery-mutex", 1),
            new Event.Withdrawn(3 * SECOND, "client-2/0", 1, "failed: <no> & \"never\""),
            new Event.Healed(4 * SECOND, "client-1", "stop"),
            new Event.AtRisk(4 * SECOND, "client-1/0", 1),
            new Event.Lost(4 * SECOND, "client-1/0", 1),
            new Event.Released(4 * SECOND, "client-1/0", 1, 4 * SECOND, 3 * SECOND, false));

    private static Document page(List<Violation> violations) throws Exception {
        Plan plan = new Plan(
                Peer.LEASEHOLD,
                StoreKind.REDIS,
                Fault.STOP,
                Duration.ofSeconds(4),
                Duration.ofSeconds(2),
                2,
                1,
                Worker.Kind.CAREFUL,
                Duration.ofSeconds(1),
                Path.of("unused"));
        String page = Page.of(Result.of(plan, Promise.EXCLUDED, "7", HISTORY, violations), HISTORY);
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(page.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns what the shapes of the picture say, without those of the key. */
    private static List<String> shapes(Document page, String attribute, String value) {
        List<String> said = new ArrayList<>();
        var rectangles = page.getElementsByTagName("rect");
        for (int i = 0; i < rectangles.getLength(); i++) {
            Element each = (Element) rectangles.item(i);
            if (each.getAttribute(attribute).equals(value)
                    && !each.getTextContent().isEmpty()) {
                said.add(each.getTextContent());
            }
        }
        return said;
    }

    @Test
    void eachWaitHoldAndFaultIsDrawn() throws Exception {
        Document page = page(List.of());
        assertThat(shapes(page, "fill", Picture.WAITING))
                .containsExactly(
                        "client-1/0 waited for battery-mutex from 0.000 s to 1.000 s",
                        "client-2/0 waited for battery-mutex from 2.000 s to 3.000 s");
        assertThat(shapes(page, "fill", Picture.LOCKS.getOrDefault("battery-mutex", "")))
                .singleElement()
                .asString()
                .startsWith(
                        "client-1/0 held battery-mutex from 1.000 s to 4.000 s, as the only holder, with token 7; then it");
        assertThat(shapes(page, "fill", Picture.FAULT)).containsExactly("stop of client-1 from 2.000 s to 4.000 s");
        assertThat(shapes(page, "fill", Picture.FAULT_HERE)).hasSize(1);
        assertThat(shapes(page, "stroke", Picture.BAD)).isEmpty();
    }

    @Test
    void whatAViolationNamesIsOutlined() throws Exception {
        String hold = Call.of(HISTORY).get(0).toRecord().toString();
        Document page = page(List.of(
                new Violation(Rule.TRUTH, "believed for too long: " + hold),
                new Violation(Rule.WAITING, "for too long: " + HISTORY.get(3))));
        assertThat(shapes(page, "stroke", Picture.BAD))
                .satisfiesExactly(
                        held -> assertThat(held).startsWith("client-1/0 held"),
                        waited -> assertThat(waited).startsWith("client-2/0 waited"));
        assertThat(page.getElementsByTagName("li").getLength()).isEqualTo(2);
    }
}
