@echo off
rem Starts the leasehold command on Windows: ls, show, break, doctor and quorum. It has not been tried there.
setlocal
if "%~1"=="run" (
  echo leasehold: "run" needs a Unix shell and does not work on Windows; nothing was run >&2
  exit /b 64
)
set "JAVA=java"
if defined JAVA_HOME set "JAVA=%JAVA_HOME%\bin\java"
if not defined JAVA_HOME (
  where java >nul 2>nul || (
    echo leasehold: there is no java on the PATH and JAVA_HOME is not set; install Java 17 or newer >&2
    exit /b 70
  )
)
set "JAR="
for %%d in (0 1 2 3 4 5 6 7 8 9) do for %%f in ("%~dp0..\lib\leasehold-%%d*.jar") do set "JAR=%%~ff"
if not defined JAR (
  echo leasehold: there is no lib\leasehold-VERSION.jar: unpack the distribution anew >&2
  exit /b 70
)
"%JAVA%" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m -Xshare:auto -Xlog:disable -XX:+DisplayVMOutputToStderr ^
  -Dio.lettuce.core.jfr=false -Dio.netty.jfr.enabled=false -Dcom.mysql.cj.disableAbandonedConnectionCleanup=true ^
  -jar "%JAR%" %*
