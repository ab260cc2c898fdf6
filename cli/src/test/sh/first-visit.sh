#!/usr/bin/env bash
# Does what the pages for newcomers say, in projects of its own in an empty directory, with the code that stands on the pages, and
# prints how long each step takes. It needs this checkout built and installed, as the README says (./mvnw -Pfast -DskipTests install),
# for the part "command" also the archive (./mvnw -Pdist -DskipTests package).
#
#   first-visit.sh [PART...]     service redisson shedlock test spring command; without one, all
#
# VISIT_REPOSITORY is the local repository that "install" was given by -Dmaven.repo.local, if not ~/.m2/repository. The servers
# are those of the repository's own tests. What Maven has to download counts as time, the first time.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
dir=$(mktemp -d)
repository=${VISIT_REPOSITORY:-$HOME/.m2/repository}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
times=$dir/times
servers=

finish() {
  if [[ $servers ]]; then
    exec 8>&-
    wait "$servers" || true
  fi
  rm -rf "$dir"
}
trap finish EXIT

failed() {
  echo "first-visit: $1" >&2
  exit 1
}
has() {
  [[ $2 == *"$3"* ]] || failed "$1 does not say '$3' but: $2"
}

# step NAME COMMAND... : runs it in the present directory; its time is printed, its output only if it fails.
step() {
  local name=$1 begun=$EPOCHREALTIME took
  shift
  if ! "$@" >"$dir/out" 2>&1; then
    cat "$dir/out" >&2
    failed "$name"
  fi
  took=$(( (${EPOCHREALTIME//[.,]/} - ${begun//[.,]/}) / 100000 ))
  printf '%-9s %-78s %5d.%d s\n' "$part" "$name" $((took / 10)) $((took % 10)) | tee -a "$times"
}

# block PAGE TEXT : the first block of code on that page that has this text.
block() {
  awk -v text="$2" '
    /^ *```/ { if (inside) { if (index(code, text)) { printf "%s", code; found = 1; exit } inside = 0 } else { inside = 1; code = "" } next }
    inside { code = code $0 "\n" }
    END { exit !found }' "$root/$1" || failed "$1 has no block of code with '$2'"
}

# member PAGE TEXT METHOD : that method alone of the block.
member() {
  block "$1" "$2" | awk -v start="void $3(" 'index($0, start) == 1 { inside = 1 } inside { print } /^}/ { inside = 0 }'
}

# The version and the dependencies as the README prints them, without the lines of those that are not named.
managed() {
  block README.md leasehold-bom | sed -n '/<dependencyManagement>/,/<\/dependencyManagement>/p'
}
ours() {
  local artifact
  for artifact; do
    echo "<dependency><groupId>dev.leasehold</groupId><artifactId>$artifact</artifactId></dependency>"
  done
}
other() {
  local coordinates
  for coordinates; do
    IFS=: read -r group artifact version scope <<<"$coordinates"
    echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId>${version:+<version>$version</version>}${scope:+<scope>$scope</scope>}</dependency>"
  done
}
# The versions of other libraries are those that this build tests with.
version_of() {
  sed -n "s|.*<$1.version>\(.*\)</$1.version>.*|\1|p" "$root/pom.xml" | head -n 1
}

# project NAME MANAGED DEPENDENCIES : an empty project in a directory of its own, as mvn archetype:generate makes it.
project() {
  mkdir -p "$dir/$1/src/main/java" "$dir/$1/src/test/java"
  cd "$dir/$1"
  cat >pom.xml <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId><artifactId>$1</artifactId><version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  $2
  <dependencies>
    $3
  </dependencies>
</project>
POM
}
maven() {
  # From the root, so that the wrapper finds its own settings, and not those of this build.
  (cd "$root" && ./mvnw --batch-mode --no-transfer-progress -q -Dmaven.repo.local="$repository" -f "$OLDPWD/pom.xml" "$@" </dev/null)
}
compile() {
  maven compile dependency:copy-dependencies
}
run() {
  "$java" -cp 'target/classes:target/dependency/*' "$@"
}

start_servers() {
  [[ $servers ]] && return
  (cd "$root" && ./mvnw --batch-mode -q -Dmaven.repo.local="$repository" -Pfast -pl verification/test-tools -DskipTestCompile=false process-classes dependency:build-classpath -Dmdep.outputFile="$dir/classpath" </dev/null) ||
    failed "the servers of the tests are not built"
  cat >"$dir/Servers.java" <<'JAVA'
import dev.leasehold.servers.*;
public class Servers {
    public static void main(String[] args) throws Exception {
        try (RedisProcess redis = RedisProcess.start(RedisProcess.Version.V7_0); PostgresServer postgres = PostgresServer.start()) {
            System.out.println(redis.uri() + " " + postgres.url());
            while (System.in.read() >= 0) {}
        }
    }
}
JAVA
  mkfifo "$dir/end" "$dir/started"
  "$java" -cp "$root/verification/test-tools/target/classes:$(cat "$dir/classpath")" "$dir/Servers.java" <"$dir/end" >"$dir/started" 2>"$dir/servers.log" &
  servers=$!
  exec 8>"$dir/end"
  read -r redis postgres <"$dir/started" || failed "the servers did not start: $(cat "$dir/servers.log")"
}

part_service() {
  start_servers
  project service "$(managed)" "$(ours leasehold-redis leasehold-jdbc)
    $(other "org.postgresql:postgresql:$(version_of postgresql)" "com.h2database:h2:$(version_of h2)")"
  block README.md 'class Shop' >src/main/java/Shop.java
  step 'an empty project with the README'\''s dependencies and Shop.java is built' compile
  for store in "$redis" "$postgres" "jdbc:h2:$dir/service/shop;WRITE_DELAY=0"; do
    step "Shop on ${store%%\?*}" run Shop "$store"
    has "Shop on $store" "$(cat "$dir/out")" 'invoice 42 is mine, token 1'
  done
}

# What the programs of both moves have in common: a holder ("hold"), which keeps the lock until its input ends, and a caller that
# gives up after six seconds ("try": a JVM that starts on a busy machine takes two).
cut_over() {
  cat <<'JAVA'
    /** Runs under the lock. */
    static Runnable send = () -> {};

    static void send() {
        send.run();
    }

    interface Step { void run() throws Throwable; }

    /** Holds the lock until the input ends, or says within six seconds whether it got it. */
    static void go(String how, Step step) throws Exception {
        java.util.concurrent.CountDownLatch done = new java.util.concurrent.CountDownLatch(1);
        send = () -> {
            System.out.println("mine");
            try {
                while (how.equals("hold") && System.in.read() >= 0) {}
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        };
        Thread thread = new Thread(() -> {
            try {
                step.run();
            } catch (Throwable e) {
                e.printStackTrace();
            }
            done.countDown();
        });
        thread.setDaemon(true);
        thread.start();
        if (how.equals("hold")) {
            done.await();
        } else if (!done.await(6, java.util.concurrent.TimeUnit.SECONDS)) {
            System.out.println("busy");
        }
        System.exit(0);
    }
JAVA
}

# together HOLDER CALLER ANSWER : what the caller says while the holder has the lock. Each is a project, a class and its arguments.
together() {
  local holder=$1 caller=$2 answer=$3 said
  rm -f "$dir/keep" "$dir/holds"
  mkfifo "$dir/keep" "$dir/holds"
  read -r in class arguments <<<"$holder"
  (cd "$dir/$in" && run "$class" hold $arguments) <"$dir/keep" >"$dir/holds" 2>"$dir/holder.log" &
  local pid=$!
  exec 7>"$dir/keep"
  read -r said <"$dir/holds" || failed "$holder: $(cat "$dir/holder.log")"
  read -r in class arguments <<<"$caller"
  said=$(cd "$dir/$in" && run "$class" try $arguments 2>"$dir/caller.log") || failed "$caller: $(cat "$dir/caller.log")"
  exec 7>&-
  wait "$pid"
  said=${said%%$'\n'*}
  [[ $said == "$answer" ]] || failed "'$caller' says '$said', not '$answer', while '$holder' has the lock: $(cat "$dir/caller.log")"
}

part_redisson() {
  start_servers
  local page=docs/migrating.md before='void withRedisson'
  local redisson imports
  redisson=$(other "org.redisson:redisson:$(version_of redisson)" "org.slf4j:slf4j-nop:$(version_of slf4j)")
  imports='import java.time.Duration; import java.util.concurrent.TimeUnit; import java.util.concurrent.locks.Lock;'
  local old='import org.redisson.Redisson; import org.redisson.api.*; import org.redisson.config.Config;' new='import dev.leasehold.*;'
  local open='Config config = new Config(); config.useSingleServer().setAddress(args[1]); RedissonClient redisson = Redisson.create(config);'

  project redisson '' "$redisson"
  {
    echo "$imports $old public class Old {"
    cut_over
    member "$page" "$before" withRedisson
    echo "public static void main(String[] args) throws Exception { $open go(args[0], () -> new Old().withRedisson(redisson)); } }"
  } >src/main/java/Old.java
  step 'the program that is to be moved, with Redisson alone, is built' compile
  step 'it runs' run Old try "$redis"
  has 'the old program' "$(cat "$dir/out")" $'mine\nmine'

  project both "$(managed)" "$(ours leasehold-redis) $redisson"
  {
    echo "$imports import org.redisson.Redisson; import org.redisson.api.RedissonClient; import org.redisson.config.Config; $new public class Both {"
    cut_over
    member "$page" 'void both' both
    echo "public static void main(String[] args) throws Exception { $open Leasehold leasehold = Leasehold.connect(args[1]);"
    echo 'go(args[0], () -> new Both().both(redisson.getLock("invoice:42"), leasehold.lock("invoice:42"))); } }'
  } >src/main/java/Both.java
  step 'first release: with Redisson and Leasehold, taking both locks, is built' compile
  step 'it runs' run Both try "$redis"
  has 'the first release' "$(cat "$dir/out")" mine

  project leasehold "$(managed)" "$(ours leasehold-redis) $(other "org.slf4j:slf4j-nop:$(version_of slf4j)")"
  {
    echo "$imports $new public class New {"
    cut_over
    member "$page" "$before" withLeasehold
    echo 'public static void main(String[] args) throws Exception { Leasehold leasehold = Leasehold.connect(args[1]);'
    echo 'go(args[0], () -> new New().withLeasehold(leasehold)); } }'
  } >src/main/java/New.java
  step 'second release: with Leasehold alone, is built' compile
  step 'it runs' run New try "$redis"
  has 'the second release' "$(cat "$dir/out")" $'mine\nmine'

  step 'the old program does not keep the new one out, as the page warns' together "redisson Old $redis" "leasehold New $redis" mine
  step 'the old program keeps the first release out' together "redisson Old $redis" "both Both $redis" busy
  step 'the first release keeps the old program out' together "both Both $redis" "redisson Old $redis" busy
  step 'the first release keeps the second out' together "both Both $redis" "leasehold New $redis" busy
  step 'the second release keeps the first out' together "leasehold New $redis" "both Both $redis" busy
}

part_shedlock() {
  start_servers
  local page=docs/migrating.md before='void withShedLock'
  local shedlock driver imports open
  shedlock=$(other "net.javacrumbs.shedlock:shedlock-provider-jdbc-template:$(version_of shedlock)" \
    "org.springframework:spring-jdbc:$(version_of spring)" "org.slf4j:slf4j-nop:$(version_of slf4j)")
  driver=$(other "org.postgresql:postgresql:$(version_of postgresql)")
  imports='import java.time.*; import net.javacrumbs.shedlock.core.*; import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;'
  open='org.postgresql.ds.PGSimpleDataSource database = new org.postgresql.ds.PGSimpleDataSource(); database.setUrl(args[1]);'
  local theirs="$open LockProvider provider = new JdbcTemplateLockProvider(database);"
  # The table as ShedLock's README has it.
  local table='try (java.sql.Connection c = database.getConnection()) { c.createStatement().execute("CREATE TABLE IF NOT EXISTS shedlock(name VARCHAR(64) NOT NULL, lock_until TIMESTAMP NOT NULL, locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))"); }'

  project shedlock '' "$shedlock $driver"
  {
    echo "$imports public class Old { static void report() { send(); }"
    cut_over
    member "$page" "$before" withShedLock | sed 's/Duration.ofMinutes(5)/Duration.ZERO/'
    echo "public static void main(String[] args) throws Exception { $theirs $table go(args[0], () -> { new Old().withShedLock(provider); }); } }"
  } >src/main/java/Old.java
  step 'the job that is to be moved, with ShedLock alone, is built' compile
  step 'it runs' run Old try "$postgres"
  has 'the old job' "$(cat "$dir/out")" mine

  project first "$(managed)" "$(ours leasehold-jdbc) $shedlock $driver"
  {
    echo "$imports import dev.leasehold.*; import dev.leasehold.jdbc.JdbcStore; public class Both {"
    cut_over
    member "$page" "$before" withShedLock | sed 's/Duration.ofMinutes(5)/Duration.ZERO/'
    # As the page says: tryRun(Duration.ZERO, ...) inside of it.
    echo 'Leasehold leasehold; void report() { try { leasehold.lock("nightly-report").tryRun(Duration.ZERO, lease -> send()); } catch (InterruptedException e) { throw new IllegalStateException(e); } }'
    echo "public static void main(String[] args) throws Exception { $theirs Both both = new Both(); both.leasehold = Leasehold.builder().store(JdbcStore.using(database)).build();"
    echo 'go(args[0], () -> both.withShedLock(provider)); } }'
  } >src/main/java/Both.java
  step 'first release: with ShedLock, and tryRun inside of it, is built' compile
  step 'it runs' run Both try "$postgres"
  has 'the first release' "$(cat "$dir/out")" mine

  project second "$(managed)" "$(ours leasehold-jdbc) $driver $(other "org.slf4j:slf4j-nop:$(version_of slf4j)")"
  {
    echo "import java.time.*; import dev.leasehold.*; import dev.leasehold.jdbc.JdbcStore; public class New { static void report() { send(); }"
    cut_over
    member "$page" "$before" withLeasehold | sed 's/Duration.ofMinutes(5)/Duration.ZERO/'
    echo "public static void main(String[] args) throws Exception { $open Leasehold leasehold = Leasehold.builder().store(JdbcStore.using(database)).build();"
    echo 'go(args[0], () -> new New().withLeasehold(leasehold)); } }'
  } >src/main/java/New.java
  step 'second release: with Leasehold alone, is built' compile
  step 'it runs' run New try "$postgres"
  has 'the second release' "$(cat "$dir/out")" mine

  # A busy job is skipped: the caller ends without a word.
  step 'the old job does not keep the new one out, as the page warns' together "shedlock Old $postgres" "second New $postgres" mine
  step 'the old job keeps the first release out' together "shedlock Old $postgres" "first Both $postgres" ''
  step 'the first release keeps the old job out' together "first Both $postgres" "shedlock Old $postgres" ''
  step 'the first release keeps the second out' together "first Both $postgres" "second New $postgres" ''
  step 'the second release keeps the first out' together "second New $postgres" "first Both $postgres" ''
}

part_test() {
  project test "$(managed)" "$(ours leasehold-redis) $(block docs/testing.md leasehold-test)
    $(other "org.junit.jupiter:junit-jupiter:$(version_of junit):test" "org.assertj:assertj-core:$(version_of assertj):test")"
  block docs/testing.md 'class Report' >src/main/java/Report.java
  {
    block docs/testing.md 'import org.junit'
    echo 'class ReportTest {'
    awk '/^```/ { inside = /java/; if (inside) code = ""; else if (code !~ /import/) printf "%s", code; next } inside { code = code $0 "\n" }' \
      "$root/docs/testing.md"
    echo '}'
  } >src/test/java/ReportTest.java
  step 'an empty project with the tests of docs/testing.md is built, and they are green' maven test
  grep -q 'tests="6"' target/surefire-reports/TEST-ReportTest.xml || failed 'not all six tests have run'
}

# application NAME DEPENDENCIES : as start.spring.io makes it for "JDBC API" and "PostgreSQL Driver", with a main class of the same shape.
application() {
  mkdir -p "$dir/$1/src/main/java/com/example/demo" "$dir/$1/src/test/java/com/example/demo" "$dir/$1/src/main/resources"
  cd "$dir/$1"
  cat >pom.xml <<POM
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
	xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 https://maven.apache.org/xsd/maven-4.0.0.xsd">
	<modelVersion>4.0.0</modelVersion>
	<parent>
		<groupId>org.springframework.boot</groupId>
		<artifactId>spring-boot-starter-parent</artifactId>
		<version>$(version_of spring-boot)</version>
		<relativePath/>
	</parent>
	<groupId>com.example</groupId>
	<artifactId>$1</artifactId>
	<version>0.0.1-SNAPSHOT</version>
	<properties>
		<java.version>17</java.version>
	</properties>
	<dependencies>
		$(other org.springframework.boot:spring-boot-starter-jdbc org.postgresql:postgresql::runtime org.springframework.boot:spring-boot-starter-jdbc-test::test)
		$2
	</dependencies>
	<build>
		<plugins>
			<plugin>
				<groupId>org.springframework.boot</groupId>
				<artifactId>spring-boot-maven-plugin</artifactId>
			</plugin>
		</plugins>
	</build>
</project>
POM
  cat >src/main/java/com/example/demo/DemoApplication.java <<'JAVA'
package com.example.demo;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class DemoApplication {

    public static void main(String[] args) {
        SpringApplication.run(DemoApplication.class, args);
    }
}
JAVA
  printf 'spring.datasource.url=%s\n' "$postgres" >src/main/resources/application.properties
}

part_spring() {
  start_servers
  local starter
  starter=$(block README.md leasehold-spring-boot-starter | grep leasehold-spring-boot-starter)
  application spring ''
  step 'an application of start.spring.io, without locks, is built' maven package -DskipTests
  application spring "$starter $(other "dev.leasehold:leasehold-spring-boot-starter-test:0.1.0-SNAPSHOT:test")"
  {
    echo 'package com.example.demo;'
    echo 'import dev.leasehold.spring.Locked;'
    cat <<'JAVA'
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Billing {

    private final Invoices invoices;

    Billing(Invoices invoices) {
        this.invoices = invoices;
    }

JAVA
    block README.md '@Locked'
    echo '}'
  } >src/main/java/com/example/demo/Billing.java
  cat >src/main/java/com/example/demo/Invoices.java <<'JAVA'
package com.example.demo;

import dev.leasehold.Leasehold;
import org.springframework.boot.CommandLineRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Says which locks there are while it sends. */
@Component
public class Invoices {

    private final Leasehold leasehold;

    Invoices(Leasehold leasehold) {
        this.leasehold = leasehold;
    }

    void send(long id) {
        try {
            leasehold.locks("*").forEach(lock -> System.out.println("sent " + id + " under " + lock.name()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Bean
    static CommandLineRunner once(Billing billing) {
        return args -> billing.send(42);
    }
}
JAVA
  step 'with the starter and the README'\''s annotated method it is built' maven package -DskipTests
  step 'it runs; the method is under the lock' "$java" -jar target/spring-0.0.1-SNAPSHOT.jar
  has 'the application' "$(cat "$dir/out")" 'sent 42 under invoice:42'

  {
    cat <<'JAVA'
package com.example.demo;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockBusyException;
import dev.leasehold.spring.boot.test.AutoConfigureTestLeasehold;
import dev.leasehold.spring.boot.test.BusyLock;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

JAVA
    block docs/spring.md 'class InvoicesTest' | sed 's/invoice:42/invoice:43/; s/Invoices invoices/Billing invoices/; s/send(42)/send(43)/'
  } >src/test/java/com/example/demo/InvoicesTest.java
  step 'the test of docs/spring.md is green' maven test

  # ShedLock's annotation over Leasehold, in two processes.
  application bridge "$starter $(other "net.javacrumbs.shedlock:shedlock-spring:$(version_of shedlock)")"
  cat >src/main/java/com/example/demo/Ticks.java <<'JAVA'
package com.example.demo;

import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

@Configuration
@EnableScheduling
@EnableSchedulerLock(defaultLockAtMostFor = "30s")
class Ticks {

    @Scheduled(cron = "* * * * * *")
    @SchedulerLock(name = "tick", lockAtLeastFor = "800ms")
    void tick() {
        System.out.println("tick " + System.currentTimeMillis() / 1000);
    }
}
JAVA
  step 'an application with @SchedulerLock, and the starter in place of a LockProvider, is built' maven package -DskipTests
  step 'two processes of it run each tick once' two_processes target/bridge-0.0.1-SNAPSHOT.jar
}

two_processes() {
  local pids=()
  for i in 1 2; do
    "$java" -jar "$1" >"$dir/process.$i" 2>&1 &
    pids+=($!)
  done
  # Until both have started, and five ticks more.
  until grep -q 'Started DemoApplication' "$dir/process.1" && grep -q 'Started DemoApplication' "$dir/process.2"; do sleep 0.2; done
  sleep 5
  kill "${pids[@]}"
  wait "${pids[@]}" || true
  local ticks
  ticks=$(cat "$dir"/process.? | grep '^tick ')
  [[ $(wc -l <<<"$ticks") -ge 5 && -z $(sort <<<"$ticks" | uniq -d) ]] || { cat "$dir"/process.?; return 1; }
}

part_command() {
  local archive home job
  archive=$(echo "$root"/cli/target/leasehold-*.tar.gz)
  [[ -f $archive ]] || failed 'there is no archive: ./mvnw -Pdist -DskipTests package'
  for jdk in /usr/lib/jvm/*; do
    # Of each version one, a link or not.
    [[ -x $jdk/bin/java && $jdk =~ (17|25) && ! -e $dir/command.${BASH_REMATCH[1]} ]] || continue
    home=$dir/command.${BASH_REMATCH[1]}
    mkdir "$home"
    cd "$home"
    step "the archive is unpacked, for JDK ${BASH_REMATCH[1]}" tar -xzf "$archive" --strip-components=1
    in_cron() {
      env -i PATH=/usr/bin:/bin JAVA_HOME="$jdk" LEASEHOLD_STORE="sqlite:$home/locks.db" setsid sh -c "$1" </dev/null
    }
    step 'as cron would: the first run, which makes the archive of classes' in_cron "bin/leasehold run -n nightly-report -- sh -c 'echo \$LEASEHOLD_NAME \$LEASEHOLD_TOKEN'"
    has 'the job' "$(cat "$dir/out")" 'nightly-report 1'
    step 'the second run' in_cron 'bin/leasehold run -n nightly-report true'
    job="bin/leasehold run nightly-report -- sh -c 'bin/leasehold ls; bin/leasehold show nightly-report; bin/leasehold run -n nightly-report true; echo status \$?'"
    step 'ls, show and a second job, while one runs' in_cron "$job"
    has 'ls, show, run -n' "$(cat "$dir/out")" nightly-report
    has 'run -n' "$(cat "$dir/out")" 'status 75'
    step 'doctor' in_cron 'bin/leasehold doctor'
    has doctor "$(cat "$dir/out")" 'it is on a local disk'
    step 'completion in bash' bash -c '. completion/leasehold.sh; COMP_WORDS=(leasehold sh); COMP_CWORD=1; _complete_leasehold; [[ ${COMPREPLY[*]} == show ]]'
    if command -v zsh >/dev/null; then
      step 'completion in zsh' zsh -c 'autoload -U compinit && compinit -u -D; . completion/leasehold.sh'
    fi
    if command -v man >/dev/null; then
      step 'man leasehold' man -M "$home/man" leasehold
      has 'the man page' "$(cat "$dir/out")" busy-exit
    fi
    step 'with the default store' in_cron "XDG_STATE_HOME=$home/state; export XDG_STATE_HOME; unset LEASEHOLD_STORE; bin/leasehold run x true"
    [[ -s $home/state/leasehold/locks.db ]] || failed 'the default store is not where the page says'
  done
  rm -rf "$home/cache"
  tar -czf "$dir/without.tar.gz" --exclude=drivers -C "$home" LICENSE bin completion lib licenses man
  printf '%-9s the archive has %d KiB, without its drivers %d KiB\n' "$part" "$(($(stat -c %s "$archive") / 1024))" "$(($(stat -c %s "$dir/without.tar.gz") / 1024))"
}

date -u +%Y-%m-%d
echo "$(uname -sm), $(nproc) processors; $("$java" -version 2>&1 | head -n 1)"
for part in "${@:-service redisson shedlock test spring command}"; do
  for part in $part; do
    [[ $(type -t "part_$part") == function ]] || failed "there is no part $part"
    "part_$part"
  done
done
