package dev.leasehold.spring.boot.actuate;

import dev.leasehold.spring.Elections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** The info contributor says which offices this instance stands for, and where it leads. */
final class LeaseholdInfoContributor implements InfoContributor {

    private final Elections elections;

    LeaseholdInfoContributor(Elections elections) {
        this.elections = elections;
    }

    @Override
    public void contribute(Info.Builder builder) {
        Map<String, Object> offices = new LinkedHashMap<>();
        elections.offices().forEach(office -> offices.put(office, elections.isLeader(office) ? "leader" : "candidate"));
        builder.withDetail("leasehold", Map.of("elections", offices));
    }
}
