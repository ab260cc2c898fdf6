package dev.leasehold.testtools;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;

/**
 * Spoilt frames are those of a protocol whose messages begin with their length: cut short, of another type, said to be huge or
 * empty, or no messages at all. The connection is closed behind each, for there is no telling where the next one begins.
 * Numbers within a message stay as they are: no client can tell another number from the right one. A message goes through
 * unspoilt now and then, so that a later one of the same answer is.
 *
 * @param before how many bytes stand before the length
 * @param length how many bytes the length has
 * @param after how many bytes stand between the length and what it counts; negative if it counts itself
 * @param littleEndian in which order the length's bytes stand
 * @param type where the byte stands that says what the message is
 */
public record SpoiltFrames(int before, int length, int after, boolean littleEndian, int type) implements AnswerSpoiler {

    /** {@return PostgreSQL's messages: a type, and a length that counts itself} */
    public static SpoiltFrames ofPostgres() {
        return new SpoiltFrames(1, 4, -4, false, 0);
    }

    /** {@return MariaDB's packets: a length, a number that is not counted, and what the packet is} */
    public static SpoiltFrames ofMariaDb() {
        return new SpoiltFrames(0, 3, 1, true, 4);
    }

    /** {@return ZooKeeper's packets: a length, and the number of the request that is answered} */
    public static SpoiltFrames ofZooKeeper() {
        return new SpoiltFrames(0, 4, 0, false, 7);
    }

    @Override
    public byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        byte[] head = all(in, before + length);
        frame.write(head);
        int counted = 0;
        for (int i = 0; i < length; i++) {
            int at = before + (littleEndian ? length - 1 - i : i);
            counted = (counted << Byte.SIZE) | (head[at] & 0xFF);
        }
        frame.write(all(in, counted + after));
        return frame.toByteArray();
    }

    private static byte[] all(InputStream in, int count) throws IOException {
        byte[] read = in.readNBytes(count);
        if (read.length < count) {
            throw new EOFException("the server has closed the connection");
        }
        return read;
    }

    @Override
    public boolean write(byte[] answer, Random random, OutputStream out) throws IOException {
        byte[] spoilt = answer.clone();
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> {
                out.write(answer);
                return true;
            }
            case 3 -> spoilt = Arrays.copyOf(answer, random.nextInt(answer.length));
            case 4 -> {
                if (spoilt.length > type) {
                    spoilt[type] ^= (byte) (1 + random.nextInt(255));
                }
            }
            case 5 -> Arrays.fill(spoilt, before, before + length, (byte) 0x7F);
            case 6 -> Arrays.fill(spoilt, before, before + length, (byte) (random.nextBoolean() ? 0 : 0xFF));
            default -> {
                spoilt = new byte[1 + random.nextInt(64)];
                random.nextBytes(spoilt);
            }
        }
        out.write(spoilt);
        out.flush();
        return false;
    }
}
