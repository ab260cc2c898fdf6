package dev.leasehold.example;

import dev.leasehold.LockBusyException;
import dev.leasehold.StoreUnavailableException;
import java.sql.SQLException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The transfer controller offers transfers over HTTP. */
@RestController
class TransferController {

    private final Transfers transfers;

    TransferController(Transfers transfers) {
        this.transfers = transfers;
    }

    @PostMapping("/transfers/{from}/{to}/{amount}")
    long move(@PathVariable int from, @PathVariable int to, @PathVariable long amount) throws SQLException {
        return transfers.move(from, to, amount, null);
    }

    /** Somebody else works on the account: the caller may come again. */
    @ExceptionHandler(LockBusyException.class)
    @ResponseStatus(HttpStatus.CONFLICT)
    String busy(LockBusyException busy) {
        return "busy: " + busy.lock();
    }

    /** The store does not answer: nothing was done. */
    @ExceptionHandler(StoreUnavailableException.class)
    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    String unavailable(StoreUnavailableException unavailable) {
        return "nothing was done: no locks at the moment";
    }
}
