package dev.leasehold.spring.kotlin

import dev.leasehold.Lease
import dev.leasehold.LeaseLostException
import dev.leasehold.Leasehold
import dev.leasehold.LockBusyException
import dev.leasehold.architecture.Waits.A_MINUTE
import dev.leasehold.architecture.Waits.await
import dev.leasehold.spring.EnableLeasehold
import dev.leasehold.spring.InvalidLockedMethodException
import dev.leasehold.spring.Locked
import dev.leasehold.spring.OnBusy
import dev.leasehold.spring.internal.RunningBodies
import dev.leasehold.test.TestLeasehold
import java.util.concurrent.TimeUnit.SECONDS
import java.util.function.Supplier
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.future
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.config.BeanDefinitionCustomizer
import org.springframework.context.annotation.AnnotationConfigApplicationContext

/** Suspending functions hold their lock until they have completed, whichever threads run them. */
@Tag("slow")
@OptIn(DelicateCoroutinesApi::class)
class SuspendTest {

    open class Shop {

        @Locked(name = "invoice:#{#id}", maxWait = "0s")
        open suspend fun send(id: Long, gate: CompletableDeferred<String>, lease: Lease? = null): String {
            val first = gate.await()
            return withContext(Dispatchers.IO) { "$first ${lease?.name()} ${lease?.isValid}" }
        }

        @Locked(name = "invoice:#{#id}", onBusy = OnBusy.SKIP)
        open suspend fun sendOrSkip(id: Long): String? = "sent $id"

        @Locked(name = "invoice:#{#id}", onBusy = OnBusy.SKIP)
        open suspend fun tick(id: Long, ran: MutableList<Long>) {
            ran.add(id)
        }

        @Locked(name = "all", maxWait = "0s")
        open suspend fun all(gate: CompletableDeferred<Int>): Flow<Int> = flow {
            emit(1)
            emit(gate.await())
        }

        @Locked(name = "flow", maxWait = "0s")
        open fun flowing(gate: CompletableDeferred<Int>): Flow<Int> = flow {
            emit(1)
            emit(gate.await())
        }
    }

    open class SkipWithoutNull {
        @Locked(name = "a", onBusy = OnBusy.SKIP)
        open suspend fun number(): Int = 1
    }

    @EnableLeasehold open class Enabled

    private val locks = TestLeasehold.create()
    private val context = context(Shop::class.java)
    private val shop = context.getBean(Shop::class.java)

    private fun context(vararg beans: Class<*>) =
        AnnotationConfigApplicationContext().apply {
            registerBean(Leasehold::class.java, Supplier { locks.leasehold() }, BeanDefinitionCustomizer { it.destroyMethodName = "" })
            register(Enabled::class.java, *beans)
            refresh()
        }

    @AfterEach
    fun stop() {
        context.close()
        locks.close()
    }

    private fun awaitHeld(name: String) = await().until { locks.isHeldHere(name) }

    @Test
    fun aSuspendingFunctionHoldsTheLockUntilItCompletes() {
        val gate = CompletableDeferred<String>()
        val result = GlobalScope.future { shop.send(42, gate) }
        awaitHeld("invoice:42")
        assertThat(context.getBean(RunningBodies::class.java).count()).isEqualTo(1)
        assertThatThrownBy { runBlocking { shop.send(42, gate) } }.isInstanceOf(LockBusyException::class.java)
        assertThat(result).isNotDone()
        gate.complete("done")
        assertThat(result.get(A_MINUTE, SECONDS)).isEqualTo("done invoice:42 true")
        assertThat(locks.isHeldHere("invoice:42")).isFalse()
    }

    @Test
    fun itsOwnFailurePassesAndGivesTheLockBack() {
        val gate = CompletableDeferred<String>()
        gate.completeExceptionally(java.io.IOException("its own"))
        assertThatThrownBy { runBlocking { shop.send(42, gate) } }
            .isInstanceOf(java.io.IOException::class.java)
            .hasMessage("its own")
        assertThat(locks.isHeldHere("invoice:42")).isFalse()
    }

    @Test
    fun aCancelledCoroutineGivesTheLockBack() {
        val job = GlobalScope.launch { shop.send(42, CompletableDeferred()) }
        awaitHeld("invoice:42")
        job.cancel()
        await().until { !locks.isHeldHere("invoice:42") }
    }

    @Test
    fun aLossCancelsTheCoroutine() {
        val gate = CompletableDeferred<String>()
        val result = GlobalScope.future { shop.send(42, gate) }
        awaitHeld("invoice:42")
        locks.lose("invoice:42")
        assertThatThrownBy { result.get(A_MINUTE, SECONDS) }.hasCauseInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun aBusyLockIsSkipped() {
        val gate = CompletableDeferred<String>()
        val ran = mutableListOf<Long>()
        val result = GlobalScope.future { shop.send(42, gate) }
        awaitHeld("invoice:42")
        runBlocking {
            assertThat(shop.sendOrSkip(42)).isNull()
            shop.tick(42, ran)
            assertThat(shop.sendOrSkip(43)).isEqualTo("sent 43")
            shop.tick(43, ran)
        }
        assertThat(ran).containsExactly(43)
        gate.complete("done")
        result.get(A_MINUTE, SECONDS)
    }

    /** It came to null where Kotlin knows no null. */
    @Test
    fun aSkipWithoutANullFailsTheStart() {
        assertThatThrownBy { context(SkipWithoutNull::class.java) }
            .hasRootCauseInstanceOf(InvalidLockedMethodException::class.java)
            .hasStackTraceContaining("onBusy = SKIP needs a return type")
    }

    @Test
    fun aFlowHoldsTheLockUntilItsEnd() {
        val gate = CompletableDeferred<Int>()
        val result = GlobalScope.future { shop.flowing(gate).toList() }
        awaitHeld("flow")
        gate.complete(2)
        assertThat(result.get(A_MINUTE, SECONDS)).containsExactly(1, 2)
        assertThat(locks.isHeldHere("flow")).isFalse()
    }

    /** Its first element was taken for its result. */
    @Test
    fun aFlowOfASuspendingFunctionHoldsTheLockUntilItsEnd() {
        val gate = CompletableDeferred<Int>()
        val result = GlobalScope.future { shop.all(gate).toList() }
        awaitHeld("all")
        gate.complete(2)
        assertThat(result.get(A_MINUTE, SECONDS)).containsExactly(1, 2)
        assertThat(locks.isHeldHere("all")).isFalse()
    }
}
