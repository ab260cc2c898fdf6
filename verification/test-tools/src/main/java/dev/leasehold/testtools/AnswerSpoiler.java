package dev.leasehold.testtools;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Random;

/** An answer spoiler knows a server's protocol well enough to tell where an answer ends, and spoils answers. */
public interface AnswerSpoiler {

    /**
     * Reads one whole answer of a server that speaks as it should.
     *
     * @param in what the server says
     * @return the answer's bytes
     * @throws IOException if the connection ends
     */
    byte[] read(InputStream in) throws IOException;

    /**
     * Writes something instead of an answer.
     *
     * @param answer what the server has said
     * @param random decides what is written
     * @param out to the client
     * @return false if the connection has to be closed behind it
     * @throws IOException if the connection ends
     */
    boolean write(byte[] answer, Random random, OutputStream out) throws IOException;
}
