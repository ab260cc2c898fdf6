package dev.leasehold.example;

import dev.leasehold.spring.CurrentLease;
import dev.leasehold.spring.LeaderOnly;
import dev.leasehold.spring.Locked;
import dev.leasehold.spring.OnBusy;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The jobs are a scheduled one, which one process runs each time, and the work of the leader. */
@Component
class Jobs {

    private final JdbcTemplate jdbc;
    private final String instance;

    Jobs(JdbcTemplate jdbc, @Value("${instance}") String instance) {
        this.jdbc = jdbc;
        this.instance = instance;
    }

    /** Each process wakes up every other second; the lock stays taken for most of that time, so one of them does the work. */
    @Scheduled(cron = "*/2 * * * * *")
    @Locked(name = "tick", onBusy = OnBusy.SKIP, minHold = "1500ms")
    void tick() {
        jdbc.update(
                "INSERT INTO tick (token, instance) VALUES (?, ?)",
                CurrentLease.get().token(),
                instance);
    }

    /** Takes a while, and is not to be done by two. */
    @Scheduled(fixedDelay = 50)
    @Locked(name = "long-job", onBusy = OnBusy.SKIP)
    void longJob() throws InterruptedException {
        Long id = jdbc.queryForObject(
                "INSERT INTO job (instance, token, ended) VALUES (?, ?, FALSE) RETURNING id",
                Long.class,
                instance,
                CurrentLease.get().token());
        Thread.sleep(1_000);
        jdbc.update("UPDATE job SET ended = TRUE WHERE id = ?", id);
    }

    @Scheduled(fixedDelay = 100)
    @LeaderOnly
    void lead() {
        jdbc.update(
                "INSERT INTO led (term, instance) VALUES (?, ?) ON CONFLICT DO NOTHING",
                CurrentLease.get().token(),
                instance);
    }
}
