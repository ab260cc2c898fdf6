package dev.leasehold.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** The endpoint as a user of curl or a browser sees it. */
@Tag("slow")
class EndpointOverHttpTest {

    private static final Pattern TOKEN = Pattern.compile("\"token\":\"(\\d+)\"");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private record Running(ConfigurableApplicationContext context) implements AutoCloseable {

        static Running start(String... arguments) {
            SpringApplication application = new SpringApplication(Application.class);
            application.setDefaultProperties(java.util.Map.of(
                    "server.port", "0",
                    "spring.main.banner-mode", "off",
                    "leasehold.store.type", "memory",
                    "management.endpoints.web.exposure.include", "leasehold"));
            return new Running(application.run(arguments));
        }

        HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
            return ask(method, "leasehold" + path);
        }

        HttpResponse<String> ask(String method, String path) throws IOException, InterruptedException {
            String port = context.getEnvironment().getRequiredProperty("local.server.port");
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/" + path))
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .build();
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        }

        String token(String path) throws IOException, InterruptedException {
            Matcher shown = TOKEN.matcher(send("GET", path).body());
            assertThat(shown.find()).isTrue();
            return shown.group(1);
        }

        Leasehold locks() {
            return context.getBean(Leasehold.class);
        }

        @Override
        public void close() {
            context.close();
        }
    }

    @Test
    void aDeletionEndsExactlyTheLeaseThatWasShown() throws Exception {
        try (Running running = Running.start("--management.endpoint.leasehold.access=unrestricted")) {
            Lease earlier = running.locks().lock("invoice/4 2").acquire();
            String old = running.token("/invoice/4%202");
            earlier.release();
            Lease lease = running.locks().lock("invoice/4 2").acquire();

            HttpResponse<String> late = running.send("DELETE", "/invoice/4%202?token=" + old);
            assertThat(late.statusCode()).isEqualTo(200);
            assertThat(late.body()).isEqualTo("{\"broken\":false}");
            assertThat(lease.isValid()).isTrue();

            String token = running.token("/invoice/4%202");
            assertThat(token).isEqualTo(Long.toString(lease.token()));
            HttpResponse<String> deleted = running.send("DELETE", "/invoice/4%202?token=" + token);
            assertThat(deleted.statusCode()).isEqualTo(200);
            assertThat(deleted.body()).isEqualTo("{\"broken\":true}");
            assertThat(running.send("GET", "/invoice/4%202").statusCode()).isEqualTo(404);
            assertThat(running.locks().lock("invoice/4 2").tryAcquire())
                    .isPresent()
                    .get()
                    .satisfies(Lease::close);
        }
    }

    @Test
    void whatIsNoRequestIsTheCallersMistake() throws Exception {
        try (Running running = Running.start("--management.endpoint.leasehold.access=unrestricted")) {
            Lease lease = running.locks().lock("a").acquire();
            for (String query : List.of("", "?token=", "?token=all")) {
                assertThat(running.send("DELETE", "/a" + query).statusCode())
                        .as(query)
                        .isEqualTo(400);
            }
            for (String method : List.of("GET", "DELETE")) {
                assertThat(running.send(method, "/" + "x".repeat(2000) + "?token=1")
                                .statusCode())
                        .as("%s of a name that is too long", method)
                        .isEqualTo(400);
            }
            String all = "?token=" + lease.token();
            assertThat(running.send("DELETE", all).statusCode())
                    .as("without a name")
                    .isEqualTo(400);
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    /** A platform restarts what is not alive, and that brings no store back. */
    @Test
    void aStoreThatIsAwayIsUnhealthyButNoReasonForARestart() throws Exception {
        try (Running running = Running.start(
                "--leasehold.store.uri=redis://localhost:1",
                "--leasehold.store.timeout=200ms",
                "--management.endpoints.web.exposure.include=health",
                "--management.endpoint.health.probes.enabled=true",
                "--management.endpoint.health.show-components=always")) {
            HttpResponse<String> health = running.ask("GET", "health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body()).contains("\"leasehold\":{\"status\":\"DOWN\"}");
            HttpResponse<String> liveness = running.ask("GET", "health/liveness");
            assertThat(liveness.statusCode()).isEqualTo(200);
            assertThat(liveness.body()).contains("\"status\":\"UP\"").doesNotContain("leasehold");
        }
    }

    @Test
    void itIsReadOnlyUnlessUnrestricted() throws Exception {
        try (Running running = Running.start()) {
            Lease lease = running.locks().lock("a").acquire();
            assertThat(running.send("GET", "").body()).contains("\"total\":1").contains("\"name\":\"a\"");
            assertThat(running.send("DELETE", "/a?token=" + lease.token()).statusCode())
                    .isEqualTo(405);
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        }
    }
}
