package dev.leasehold.redis;

import dev.leasehold.testtools.AnswerSpoiler;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Spoilt answers are those that no server should give: cut short, of another type, huge, or no answers at all. Each follows
 * from its seed.
 */
final class SpoiltAnswers implements AnswerSpoiler {

    /** Well formed, but no answer to any of our questions. No token of a grant is among them. */
    private static final List<String> STRANGE = List.of(
            "+OK\r\n",
            "+\r\n",
            ":0\r\n",
            ":-1\r\n",
            ":-9223372036854775808\r\n",
            "$-1\r\n",
            "$0\r\n\r\n",
            "*-1\r\n",
            "*0\r\n",
            "*1\r\n$-1\r\n",
            "*1\r\n*0\r\n",
            "*1\r\n+OK\r\n",
            "*1\r\n:0\r\n",
            "*1\r\n:-7\r\n",
            "*1\r\n$0\r\n\r\n",
            "*1\r\n$1\r\n0\r\n",
            "*1\r\n$5\r\nbusy|\r\n",
            "*1\r\n$20\r\nbusy|x|y|z|0|leasehol\r\n",
            "*1\r\n$9\r\ngranted||\r\n",
            "*1\r\n$6\r\n0|0|60\r\n",
            "*1\r\n$20\r\n99999999999999999999\r\n",
            "*3\r\n$3\r\nyes\r\n$-1\r\n$-1\r\n",
            "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n",
            "*5\r\n$4\r\nbusy\r\n:1\r\n+x\r\n:0\r\n$1\r\nx\r\n",
            "*2\r\n-ERR inside\r\n:1\r\n",
            "-ERR \r\n",
            "-\r\n",
            "-ERR unknown command\r\n",
            "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
            "-NOSCRIPT No matching script\r\n",
            "-MOVED 1 127.0.0.1:1\r\n",
            "-ASK 99999 :0\r\n",
            "-MOVED\r\n",
            "-NOAUTH Authentication required.\r\n",
            "-LEASEHOLD_LAYOUT\r\n",
            "_\r\n",
            "#t\r\n",
            ",inf\r\n",
            "(3492890328409238509324850943850943825024385\r\n",
            "%1\r\n+a\r\n+b\r\n",
            "~1\r\n+a\r\n",
            ">3\r\n+message\r\n+nowhere\r\n+granted|1|2|3\r\n",
            "=15\r\ntxt:Some string\r\n",
            "!5\r\nERR x\r\n");

    /** Not even well formed, or more than is ever sent. The connection is closed behind each. */
    private static final List<String> BROKEN = List.of(
            "$2147483647\r\nabc",
            "*2147483647\r\n:1\r\n",
            "$99999999999999999999\r\n",
            "*-5\r\n",
            "$-7\r\n",
            ":\r\n",
            ":abc\r\n",
            "*x\r\n",
            "HTTP/1.1 400 Bad Request\r\n\r\n",
            "\r\n\r\n",
            "\0\0\0\0",
            "*1\r\n".repeat(2_000) + ":1\r\n",
            "+" + "x".repeat(300_000) + "\r\n");

    @Override
    public boolean write(byte[] answer, Random random, OutputStream out) throws IOException {
        boolean goesOn = true;
        byte[] spoilt;
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> spoilt = bytes(STRANGE.get(random.nextInt(STRANGE.size())));
            case 3, 4 -> {
                spoilt = bytes(BROKEN.get(random.nextInt(BROKEN.size())));
                goesOn = false;
            }
            case 5 -> {
                spoilt = Arrays.copyOf(answer, random.nextInt(answer.length));
                goesOn = false;
            }
            case 6 -> {
                spoilt = answer.clone();
                spoilt[0] = (byte) "+-:$*_#,(%~>=!|x\0".charAt(random.nextInt(17));
                goesOn = false;
            }
            default -> {
                spoilt = new byte[1 + random.nextInt(64)];
                random.nextBytes(spoilt);
                goesOn = false;
            }
        }
        out.write(spoilt);
        out.flush();
        return goesOn;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        read(in, answer);
        return answer.toByteArray();
    }

    private static void read(InputStream in, ByteArrayOutputStream answer) throws IOException {
        String line = line(in, answer);
        char type = line.charAt(0);
        String rest = line.substring(1);
        if ("$!=".indexOf(type) >= 0) {
            int length = Integer.parseInt(rest);
            if (length >= 0) {
                answer.write(in.readNBytes(length + 2));
            }
        } else if ("*~>%|".indexOf(type) >= 0) {
            int parts = Integer.parseInt(rest) * (type == '%' || type == '|' ? 2 : 1);
            for (int i = 0; i < parts; i++) {
                read(in, answer);
            }
        }
    }

    private static String line(InputStream in, ByteArrayOutputStream answer) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new EOFException("the server has closed the connection");
            }
            answer.write(read);
            line.append((char) read);
        }
        answer.write('\n');
        return line.toString().strip();
    }
}
