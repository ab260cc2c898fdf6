/** This package shows Leasehold in Spring Boot's actuator: endpoint, health, info. */
@NullMarked
package dev.leasehold.spring.boot.actuate;

import org.jspecify.annotations.NullMarked;
