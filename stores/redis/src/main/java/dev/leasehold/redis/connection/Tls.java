package dev.leasehold.redis.connection;

import dev.leasehold.spi.StoreUri;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tls is what secured connections use in place of what the JVM has: files in PEM.
 *
 * @param ca the certificates of those who are trusted to sign a server's; null for those that the JVM trusts
 * @param certificate the client's own
 * @param key its private key
 */
public record Tls(
        @Nullable File ca,
        @Nullable File certificate,
        @Nullable File key) {

    public static final Tls OF_THE_JVM = new Tls(null, null, null);

    public static final Set<String> OPTIONS = Set.of("tls.ca", "tls.cert", "tls.key");

    /** Reads our options of a URI. */
    public static Tls read(StoreUri uri) {
        Tls tls = new Tls(file("tls.ca", uri), file("tls.cert", uri), file("tls.key", uri));
        boolean secured = uri.scheme().startsWith("rediss")
                || uri.scheme().equals("redlocks")
                || uri.text().contains("rediss://");
        if (!secured && !tls.equals(OF_THE_JVM)) {
            throw new IllegalArgumentException("the options leasehold.tls.… mean nothing without TLS in '" + uri
                    + "': write rediss://, rediss-sentinel://, rediss-cluster:// or redlocks://");
        }
        if ((tls.certificate == null) != (tls.key == null)) {
            throw new IllegalArgumentException("the options leasehold.tls.cert and leasehold.tls.key go together");
        }
        if (!tls.equals(OF_THE_JVM)) {
            tls.check(uri);
        }
        return tls;
    }

    /** Has the files read once: at the first lock their failure would look like one of the server. */
    private void check(StoreUri uri) {
        try {
            ssl().createSslContextBuilder().build();
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new IllegalArgumentException(
                    "the files of leasehold.tls.… in '" + uri + "' cannot be used: " + e.getMessage()
                            + "; certificates must be in PEM, and the key in PKCS#8 without a password, as"
                            + " 'openssl pkcs8 -topk8 -nocrypt' writes it",
                    e);
        }
    }

    private static @Nullable File file(String option, StoreUri uri) {
        String path = uri.options().get(option);
        if (path == null) {
            return null;
        }
        File file = new File(path);
        if (!file.isFile() || !file.canRead()) {
            throw new IllegalArgumentException(
                    "option leasehold." + option + ": the file '" + path + "' cannot be read; it must be in PEM");
        }
        return file;
    }

    ClientOptions.Builder in(ClientOptions.Builder options) {
        return options.sslOptions(ssl());
    }

    private SslOptions ssl() {
        SslOptions.Builder ssl = SslOptions.builder();
        if (ca != null) {
            ssl.trustManager(ca);
        }
        if (certificate != null && key != null) {
            ssl.keyManager(certificate, key, new char[0]);
        }
        return ssl.build();
    }
}
