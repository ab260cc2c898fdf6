package dev.leasehold.cli;

/** A failure ends the program with a message and a status. */
final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    Failure(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
