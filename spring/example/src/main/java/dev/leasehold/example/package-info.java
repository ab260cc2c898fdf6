/** An application that uses locks. */
package dev.leasehold.example;
